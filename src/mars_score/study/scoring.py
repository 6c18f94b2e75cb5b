"""The scores of a study: what is in the store is read, the rest is computed chunk by chunk and saved."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from mars_score.metrics.likelihoods import QUESTIONS
from mars_score.metrics.registry import augments
from mars_score.progress import StageProgress, silent_stages
from mars_score.run.base import Engine, LocalEngine
from mars_score.study.attacks.robustness import Attacked, attack_dataset
from mars_score.study.store import ScoreStore, StoredScore, row_key, text_digest
from mars_score.study.worker import (
    Ask,
    Chunk,
    ChunkWork,
    Cosines,
    LazyMetric,
    WorkerDataset,
    cosine_keys,
    missing_cosines,
    saved_cosines,
)
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.io.datasets.base import Dataset
    from mars_score.mars.scorer import MarsScorer
    from mars_score.study.judges import ExternalScores
    from mars_score.study.results import MetricInfo

Finished = Callable[[int], None]
"""Called with the number of further rows that have been scored."""
CHUNK = 64
"""Rows that are scored together and then saved."""


@dataclass(frozen=True, slots=True)
class HashedExample:
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
    rows: tuple[HashedExample, ...]
    attacked: tuple[tuple[HashedExample, ...], ...]
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
    rows: Mapping[str, tuple[StoredScore, ...]]
    """By metric, in the order of the data set."""
    attacked: Mapping[str, tuple[tuple[StoredScore, ...], ...]]
    """By metric; for each attack the changed rows."""
    digests: tuple[bytes, ...]
    """The hashes of the rows' texts."""
    cosines: tuple[Cosines, ...] | None = None
    """What the sweep over masking ratios needs of each row."""
    external: tuple[ExternalScores, ...] = ()
    """Those of the metrics whose scores come from elsewhere."""

    @property
    def computed(self) -> tuple[MetricInfo, ...]:
        """The metrics that were computed here: these have costs, and were attacked."""
        elsewhere = {column.name for column in self.external}
        return tuple(metric for metric in self.metrics if metric.name not in elsewhere)

    def oriented(self, metric: MetricInfo) -> list[float | None]:
        """One metric's scores with their sign turned where lower is better: so positive means agreement."""
        sign = 1.0 if metric.higher_is_better else -1.0
        return [None if row.score is None else sign * row.score for row in self.rows[metric.name]]


def make_work(
    dataset: Dataset, scorer: MarsScorer, metrics: Sequence[str], attacks: Sequence[str], seed: int, *,
    sweep: bool = False, attack_rows: int | None = None,
) -> Work:  # fmt: skip
    """Attack the rows and name what is to be scored; no model is loaded."""
    dataset_scorer = scorer.with_options()
    if dataset_scorer.config.masking.idf == "corpus":
        dataset_scorer.corpus = dataset.examples
    changed = tuple(attack_dataset(dataset, name, seed, at_most=attack_rows) for name in attacks)
    return Work(
        dataset,
        dataset_scorer,
        tuple(LazyMetric(name, dataset_scorer) for name in metrics),
        changed,
        _texts(dataset.examples),
        tuple(_texts(attack.examples) for attack in changed),
        sweep,
    )


def count_missing(work: Work, store: ScoreStore) -> int:
    """Return how many scores are to be computed. A metric that the store has never seen is made for that."""
    every = [*work.rows, *_attacked(work)]
    count = 0
    for metric in work.metrics:
        signature = metric.signature(store)
        keys = {row_key(signature, text.digest) for text in every}
        count += len(keys) - len(store.scores(keys))
    if work.sweep:
        count += missing_cosines([text.digest for text in work.rows], work.scorer, store)
    return count


def score_works(
    works: Sequence[Work],
    store: ScoreStore,
    progress: StageProgress = silent_stages,
    finished: Finished = lambda rows: None,
    engine: Engine | None = None,
) -> list[DatasetScores]:
    """Compute what is missing, save each chunk as it is done, and return all scores of each data set."""
    planned: deque[Chunk] = deque()
    work = ChunkWork(
        tuple(WorkerDataset(dataset_work.dataset.name, dataset_work.scorer.corpus) for dataset_work in works),
        tuple((dataset_work.scorer, dataset_work.metrics) for dataset_work in works),
    )
    results = (engine or LocalEngine()).run(
        work, _remember_planned(_all_chunks(works, store), planned), progress
    )
    try:
        for result in results:
            store.add_scores(result.scores)
            store.keep(dict(result.cosines))
            finished(len(planned.popleft()))
    finally:
        # An engine that has started workers ends them now, not when memory is tidied.
        if (close := getattr(results, "close", None)) is not None:
            close()
    # Read what was saved: so a number is the same whether it was computed now or in an earlier run.
    return [_saved(dataset_work, store) for dataset_work in works]


def _all_chunks(works: Sequence[Work], store: ScoreStore) -> Iterator[Chunk]:
    """All that is missing, data set by data set.

    A family scores some rows with all its members before the next rows. Those of MARS share augmented
    references and encoded candidates, likelihoods share what the language model has read: so no two workers do the
    same. The rows as they are come first: they bear the cost of it, as they would without attacks.
    """
    asked: set[bytes] = set()
    for index, work in enumerate(works):
        for family in _families(work.metrics):
            signed = [(metric.name, metric.signature(store)) for metric in family]
            for texts in (work.rows, _attacked(work)):
                for portion in _portions(texts):
                    asks = tuple(
                        Ask(rows, name, signature)
                        for name, signature in signed
                        if (rows := _new(signature, portion, store, asked))
                    )
                    if asks:
                        yield Chunk(index, asks)
        if work.sweep:
            for portion in _portions(work.rows):
                keys = cosine_keys([text.digest for text in portion], work.scorer, store)
                new = {
                    key: text.example for key, text in zip(keys, portion, strict=True)
                    if key not in asked and store.get(key) is None
                }  # fmt: skip
                asked.update(new)
                if new:
                    yield Chunk(index, (Ask(new, None),))


def _families(metrics: Sequence[LazyMetric]) -> list[tuple[LazyMetric, ...]]:
    """All metrics that augment references together, all that read likelihoods together, each other one by itself."""
    families: dict[str, list[LazyMetric]] = {}
    for metric in metrics:
        name = metric.name
        kin = "mars" if augments(name) else "likelihoods" if name in QUESTIONS else name
        families.setdefault(kin, []).append(metric)
    return [tuple(family) for family in families.values()]


def _new(
    signature: str, texts: Sequence[HashedExample], store: ScoreStore, asked: set[bytes]
) -> dict[bytes, Example]:
    """What a metric has not scored yet. An engine may ask before earlier chunks are saved."""
    keys = [row_key(signature, text.digest) for text in texts]
    saved = store.scores(keys)
    new = {
        key: text.example for key, text in zip(keys, texts, strict=True)
        if key not in saved and key not in asked
    }  # fmt: skip
    asked.update(new)
    return new


def _remember_planned(chunks: Iterator[Chunk], planned: deque[Chunk]) -> Iterator[Chunk]:
    """Remember which chunks results belong to: they come in the same order."""
    for chunk in chunks:
        planned.append(chunk)
        yield chunk


def _saved(work: Work, store: ScoreStore) -> DatasetScores:
    rows, attacked = {}, {}
    for metric in work.metrics:
        signature = metric.signature(store)
        texts = (*work.rows, *_attacked(work))
        keys = [row_key(signature, text.digest) for text in texts]
        saved = store.scores(keys)
        in_order = iter([saved[key] for key in keys])
        rows[metric.name] = tuple(islice(in_order, len(work.rows)))
        attacked[metric.name] = tuple(tuple(islice(in_order, len(texts))) for texts in work.attacked)
    digests = tuple(text.digest for text in work.rows)
    return DatasetScores(
        work.dataset,
        work.scorer,
        tuple(metric.info(store) for metric in work.metrics),
        work.attacks,
        rows,
        attacked,
        digests,
        tuple(saved_cosines(digests, work.scorer, store)) if work.sweep else None,
    )


def _attacked(work: Work) -> tuple[HashedExample, ...]:
    return tuple(text for texts in work.attacked for text in texts)


def _portions(texts: Sequence[HashedExample]) -> Iterator[list[HashedExample]]:
    """Rows of one item stay together: their references are augmented once, and encoded side by side."""
    order: dict[object, int] = {}
    for text in texts:
        order.setdefault((text.example.context, text.example.references), len(order))
    together = iter(sorted(texts, key=lambda text: order[text.example.context, text.example.references]))
    while portion := list(islice(together, CHUNK)):
        yield portion


def _texts(examples: Sequence[Example]) -> tuple[HashedExample, ...]:
    return tuple(HashedExample(example, text_digest(example)) for example in examples)
