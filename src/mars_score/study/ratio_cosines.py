"""The cosines behind Table 5: every row's candidate with each reference and its augmentations, up to 80%.

One scoring with all ratios serves every smaller maximum and every q: only the weights change.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mars_score.config import ratios_up_to
from mars_score.progress import StageProgress, silent_stages
from mars_score.study.lazy_metric import LazyMetric, score_signature
from mars_score.study.score_store import row_key
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mars_score.scorer import MarsScorer
    from mars_score.study.score_store import ScoreStore

RATIOS = ratios_up_to(0.8)
CHUNK = 64
"""Rows that are scored together and then saved."""

Cosines = list[list[tuple[float, float]]]
"""For each reference of a row: (ratio, cosine) of each of its augmentations, the reference itself first."""


def ratio_cosines(
    examples: Sequence[Example],
    digests: Sequence[bytes],
    scorer: MarsScorer,
    store: ScoreStore,
    progress: StageProgress = silent_stages,
    finished: Callable[[int], None] = lambda rows: None,
) -> list[Cosines]:
    """Return the cosines of each row; those that are not in the store are computed and saved."""
    wide, keys = _keys(digests, scorer, store)
    known = {key: store.get(key) for key in keys}
    found: dict[bytes, Cosines] = {key: _read(value) for key, value in known.items() if value is not None}
    new = ((key, example) for key, example in zip(keys, examples, strict=True) if known[key] is None)
    rows = iter(dict(new).items())
    while chunk := dict(islice(rows, CHUNK)):
        computed = _compute(chunk, wide, lambda stage, *done: progress(f"masking ratios: {stage}", *done))
        store.keep(dict(computed))
        found |= computed
        finished(len(chunk))
    return [found[key] for key in keys]


def missing_cosines(digests: Sequence[bytes], scorer: MarsScorer, store: ScoreStore) -> int:
    """Return how many rows are to be computed."""
    _, keys = _keys(digests, scorer, store)
    return sum(store.get(key) is None for key in dict.fromkeys(keys))


def _keys(digests: Sequence[bytes], scorer: MarsScorer, store: ScoreStore) -> tuple[MarsScorer, list[bytes]]:
    """The scorer with all ratios, and where the store has its cosines."""
    wide = scorer.sibling(ratios=RATIOS)
    signature = f"cosines|{score_signature(LazyMetric('mars', wide), store)}"
    return wide, [row_key(signature, digest) for digest in digests]


def _compute(
    chunk: Mapping[bytes, Example], scorer: MarsScorer, progress: StageProgress
) -> dict[bytes, Cosines]:
    # Each reference is scored as if it were the only one: a score keeps only the terms of the one that decides.
    alone = [
        (key, Example(example.id, example.candidate, (reference,), example.context, example.question))
        for key, example in chunk.items()
        for reference in example.references
    ]
    items = scorer.score_examples([example for _, example in alone], progress=progress)
    found: dict[bytes, Cosines] = {key: [] for key in chunk}
    for (key, _), item in zip(alone, items, strict=True):
        found[key].append([(term.ratio, term.cosine) for term in item.augmented])
    return found


def _read(value: list[list[list[float]]]) -> Cosines:
    return [[(ratio, cosine) for ratio, cosine in terms] for terms in value]
