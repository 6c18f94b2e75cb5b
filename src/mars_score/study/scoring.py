"""The scores of a study: what is in the store is read, the rest is computed chunk by chunk and saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING

from mars_score.attacks.applying import attack_dataset
from mars_score.metrics.scoring import score_all
from mars_score.progress import StageProgress, silent_stages
from mars_score.study.lazy_metric import LazyMetric, score_signature
from mars_score.study.ratio_cosines import missing_cosines, ratio_cosines
from mars_score.study.score_store import Entry, row_key, text_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mars_score.attacks.applying import Attacked
    from mars_score.datasets.base import Dataset
    from mars_score.scorer import MarsScorer
    from mars_score.study.ratio_cosines import Cosines
    from mars_score.study.results import MetricInfo
    from mars_score.study.score_store import ScoreStore
    from mars_score.types import Example

Finished = Callable[[int], None]
"""Told how many further rows have been scored."""
CHUNK = 64
"""Rows that are scored together and then saved."""


@dataclass(frozen=True, slots=True)
class Text:
    """A row to score, with the hash that finds its scores."""

    example: Example
    digest: bytes


@dataclass(frozen=True, slots=True)
class Work:
    """A data set and all that is to be scored of it."""

    dataset: Dataset
    scorer: MarsScorer
    metrics: tuple[LazyMetric, ...]
    attacks: tuple[Attacked, ...]
    rows: tuple[Text, ...]
    attacked: tuple[tuple[Text, ...], ...]
    """For each attack the changed rows."""
    sweep: bool
    """Whether masking ratios are swept."""


@dataclass(frozen=True, slots=True)
class DatasetScores:
    """A data set with every metric's scores of it."""

    dataset: Dataset
    scorer: MarsScorer
    metrics: tuple[MetricInfo, ...]
    attacks: tuple[Attacked, ...]
    rows: Mapping[str, tuple[Entry, ...]]
    """By metric, in the order of the data set."""
    attacked: Mapping[str, tuple[tuple[Entry, ...], ...]]
    """By metric; for each attack the changed rows."""
    digests: tuple[bytes, ...]
    """The hashes of the rows' texts."""
    cosines: tuple[Cosines, ...] | None = None
    """What the sweep over masking ratios needs of each row."""

    def oriented(self, metric: MetricInfo) -> list[float | None]:
        """One metric's scores with their sign turned where lower is better: so positive means agreement."""
        sign = 1.0 if metric.higher_is_better else -1.0
        return [None if one.score is None else sign * one.score for one in self.rows[metric.name]]


def make_work(
    dataset: Dataset, scorer: MarsScorer, metrics: Sequence[str], attacks: Sequence[str], seed: int, *,
    sweep: bool = False, attack_rows: int | None = None,
) -> Work:  # fmt: skip
    """Attack the rows and name what is to be scored; no model is loaded."""
    own = scorer.sibling()
    if own.config.masking.idf == "corpus":
        own.corpus = dataset.examples
    changed = tuple(attack_dataset(dataset, name, seed, at_most=attack_rows) for name in attacks)
    return Work(
        dataset,
        own,
        tuple(LazyMetric(name, own) for name in metrics),
        changed,
        _texts(dataset.examples),
        tuple(_texts(one.examples) for one in changed),
        sweep,
    )


def count_missing(work: Work, store: ScoreStore) -> int:
    """Return how many scores are to be computed. A metric that the store has never seen is made for that."""
    every = [*work.rows, *(text for texts in work.attacked for text in texts)]
    count = 0
    for metric in work.metrics:
        signature = score_signature(metric, store)
        keys = {row_key(signature, text.digest) for text in every}
        count += len(keys) - len(store.scores(keys))
    if work.sweep:
        count += missing_cosines([text.digest for text in work.rows], work.scorer, store)
    return count


def score_work(
    work: Work, store: ScoreStore, progress: StageProgress = silent_stages, finished: Finished = lambda rows: None
) -> DatasetScores:  # fmt: skip
    """Score the rows and the attacked rows by one metric after the other.

    So the references that the first rows of MARS augment serve all that follow, in this process. The rows as
    they are come first: they bear the cost of it, as they would without attacks.
    """
    rows, attacked = {}, {}
    for metric in work.metrics:
        rows[metric.name] = _scores(metric, work.rows, store, progress, finished)
        flat = [text for texts in work.attacked for text in texts]
        found = iter(_scores(metric, flat, store, progress, finished))
        attacked[metric.name] = tuple(tuple(islice(found, len(texts))) for texts in work.attacked)
    digests = tuple(text.digest for text in work.rows)
    cosines = None
    if work.sweep:
        cosines = tuple(ratio_cosines(work.dataset.examples, digests, work.scorer, store, progress, finished))
    return DatasetScores(
        work.dataset,
        work.scorer,
        tuple(metric.info(store) for metric in work.metrics),
        work.attacks,
        rows,
        attacked,
        digests,
        cosines,
    )


def _scores(
    metric: LazyMetric, texts: Sequence[Text], store: ScoreStore, progress: StageProgress, finished: Finished
) -> tuple[Entry, ...]:
    signature = score_signature(metric, store)
    keys = [row_key(signature, text.digest) for text in texts]
    known = store.scores(keys)
    new = {key: text.example for key, text in zip(keys, texts, strict=True) if key not in known}
    for chunk in _chunks(new):
        ready = metric.ready()
        started = perf_counter()
        values = score_all([ready], list(chunk.values()), progress)
        seconds = (perf_counter() - started) / len(chunk)
        found = {
            key: Entry(value.scores[metric.name], value.flags, seconds)
            for key, value in zip(chunk, values, strict=True)
        }
        store.add_scores(found)
        finished(len(chunk))
    # Read again what was just saved: so a number is the same whether it was computed now or in an earlier run.
    known |= store.scores(new)
    return tuple(known[key] for key in keys)


def _chunks(new: Mapping[bytes, Example]) -> Iterator[dict[bytes, Example]]:
    """Rows of one item stay together: their references are augmented once, and encoded side by side."""
    order: dict[object, int] = {}
    for example in new.values():
        order.setdefault((example.context, example.references), len(order))
    together = iter(sorted(new.items(), key=lambda one: order[one[1].context, one[1].references]))
    while chunk := dict(islice(together, CHUNK)):
        yield chunk


def _texts(examples: Sequence[Example]) -> tuple[Text, ...]:
    return tuple(Text(example, text_digest(example)) for example in examples)
