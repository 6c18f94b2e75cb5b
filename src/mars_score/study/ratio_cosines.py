"""The cosines behind Table 5: every row's candidate with each reference and its augmentations, up to 80%.

One scoring with all ratios serves every smaller maximum and every q: only the weights change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.config import ratios_up_to
from mars_score.study.lazy_metric import LazyMetric
from mars_score.study.score_store import row_key
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.progress import StageProgress
    from mars_score.scorer import MarsScorer
    from mars_score.study.score_store import ScoreStore

RATIOS = ratios_up_to(0.8)

Cosines = list[list[tuple[float, float]]]
"""For each reference of a row: (ratio, cosine) of each of its augmentations, the reference itself first."""


def saved_cosines(digests: Sequence[bytes], scorer: MarsScorer, store: ScoreStore) -> list[Cosines]:
    """Return the cosines of each row; all must be in the store."""
    return [_read(store.get(key)) for key in cosine_keys(digests, scorer, store)]


def missing_cosines(digests: Sequence[bytes], scorer: MarsScorer, store: ScoreStore) -> int:
    """Return how many rows are to be computed."""
    return sum(store.get(key) is None for key in dict.fromkeys(cosine_keys(digests, scorer, store)))


def cosine_keys(digests: Sequence[bytes], scorer: MarsScorer, store: ScoreStore) -> list[bytes]:
    """Where the store has the cosines of rows."""
    signature = f"cosines|{LazyMetric('mars', _wide(scorer)).signature(store)}"
    return [row_key(signature, digest) for digest in digests]


def compute_cosines(
    chunk: Mapping[bytes, Example], scorer: MarsScorer, progress: StageProgress
) -> dict[bytes, Cosines]:
    """Score rows with all ratios."""
    # Each reference is scored as if it were the only one: a score keeps only the terms of the one that decides.
    alone = [
        (key, Example(example.id, example.candidate, (reference,), example.context, example.question))
        for key, example in chunk.items()
        for reference in example.references
    ]

    def show(stage: str, done: int, total: int) -> None:
        progress(f"masking ratios: {stage}", done, total)

    items = _wide(scorer).score_examples([example for _, example in alone], progress=show)
    found: dict[bytes, Cosines] = {key: [] for key in chunk}
    for (key, _), item in zip(alone, items, strict=True):
        found[key].append([(term.ratio, term.cosine) for term in item.augmented])
    return found


def _wide(scorer: MarsScorer) -> MarsScorer:
    return scorer.sibling(ratios=RATIOS)


def _read(value: list[list[list[float]]]) -> Cosines:
    return [[(ratio, cosine) for ratio, cosine in terms] for terms in value]
