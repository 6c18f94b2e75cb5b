"""What a worker does with a chunk of a study: scores and cosines, with metrics made only when they are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from mars_score.config import ratios_up_to
from mars_score.errors import ConfigError
from mars_score.metrics.base import Metric, score_all
from mars_score.metrics.registry import METRICS, augments, make_metric, settings_fingerprint
from mars_score.run.work import ScorerRecipe, refuse_other
from mars_score.study.results import MetricInfo
from mars_score.study.store import ScoreStore, StoredScore, row_key
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer
    from mars_score.progress import StageProgress
    from mars_score.run.base import Worker


_WARM_UP = Example("warm-up", "The rain stopped.", ("It rained no more.",), "Clouds hung over the town.")


@dataclass
class LazyMetric:
    """A metric by name, with the scorer whose models and settings it shares."""

    name: str
    scorer: MarsScorer
    _made: Metric | None = field(default=None, repr=False)
    _warm: bool = field(default=False, repr=False)

    @property
    def metric(self) -> Metric:
        """The metric itself, made when it is first asked for."""
        if self._made is None:
            self._made = make_metric(self.name, self.scorer)
        return self._made

    def ready(self) -> Metric:
        """The metric with everything loaded: it has scored a row, so that the next one shows its true cost."""
        if not self._warm:
            self.metric.score([_WARM_UP])
            self._warm = True
        return self.metric

    def signature(self, store: ScoreStore) -> str:
        """The metric's signature, from an earlier run if there was one, since to make a metric may load a model.

        What is remembered is found by the fingerprint of all that it follows from. With IDF from the corpus, that is
        the corpus too.
        """
        if not METRICS[self.name].models:
            return self.metric.signature
        corpus = self.scorer.config.masking.idf == "corpus" and augments(self.name)
        if corpus and self.scorer.corpus is None:
            raise ConfigError('a study with idf="corpus" needs to know the corpus; set scorer.corpus')
        key = settings_fingerprint([self.name], self.scorer)
        signature = store.get(key)
        if signature is None:
            signature = self.metric.signature
            store.keep({key: signature})
        return str(signature)

    def info(self, store: ScoreStore) -> MetricInfo:
        """What results say of the metric."""
        entry = METRICS[self.name]
        return MetricInfo(self.name, entry.summary, entry.higher_is_better, self.signature(store))


# The cosines behind Table 5: every row's candidate with each reference and its augmentations, up to 80%.

RATIOS = ratios_up_to(0.8)

Cosines = list[list[tuple[float, float]]]
"""For each reference of a row: (ratio, cosine) of each of its augmentations, the reference itself first."""


def saved_cosines(digests: Sequence[bytes], scorer: MarsScorer, store: ScoreStore) -> list[Cosines]:
    """Return the cosines of each row; all must be in the store."""
    saved = (store.get(key) for key in cosine_keys(digests, scorer, store))
    return [[[(ratio, cosine) for ratio, cosine in terms] for terms in row] for row in saved]


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
    cosines: dict[bytes, Cosines] = {key: [] for key in chunk}
    for (key, _), item in zip(alone, items, strict=True):
        cosines[key].append([(term.ratio, term.cosine) for term in item.augmented])
    return cosines


def _wide(scorer: MarsScorer) -> MarsScorer:
    return scorer.with_options(ratios=RATIOS)


# Chunks and their results survive pickling; models and stores do not travel.


@dataclass(frozen=True, slots=True)
class Ask:
    """Rows for one metric, each under the key that it has in the store."""

    rows: dict[bytes, Example]
    metric: str | None
    """``None`` for the cosines of the sweep over masking ratios."""
    signature: str = ""
    """What the metric must have, wherever it is made."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is computed in one place and then saved: the same rows, for metrics that share work."""

    dataset: int
    """Its position in the study."""
    asks: tuple[Ask, ...]

    def __len__(self) -> int:
        return sum(len(ask.rows) for ask in self.asks)


@dataclass(frozen=True, slots=True)
class ChunkScores:
    """What came of a chunk: scores or cosines, by key."""

    scores: dict[bytes, StoredScore] = field(default_factory=dict)
    cosines: dict[bytes, Cosines] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WorkerDataset:
    """A data set as its worker sees it."""

    name: str
    corpus: Sequence[Example] | None
    """Whose references count, with IDF from the corpus."""


@dataclass(frozen=True)
class ChunkWork:
    """Computes chunks."""

    datasets: tuple[WorkerDataset, ...]
    made: tuple[tuple[MarsScorer, tuple[LazyMetric, ...]], ...]
    """What this process has already, for each data set. It does not travel: another process makes its own."""
    recipe: ScorerRecipe | None = None
    """How another process does that."""

    def __getstate__(self) -> dict[str, Any]:
        recipe = ScorerRecipe.of(self.made[0][0]) if self.made else self.recipe
        return {"datasets": self.datasets, "made": (), "recipe": recipe}

    def __call__(self, progress: StageProgress) -> Worker[Chunk, ChunkScores]:
        """Prepare for every data set; no model is loaded before a chunk needs it."""
        scorers = [scorer for scorer, _ in self.made] or self._scorers()
        metrics = {
            (position, metric.name): metric for position, (_, made) in enumerate(self.made) for metric in made
        }

        def work(chunk: Chunk) -> ChunkScores:
            show = partial(_named, progress, self.datasets[chunk.dataset].name)
            scorer = scorers[chunk.dataset]
            result = ChunkScores()
            for ask in chunk.asks:
                if ask.metric is None:
                    result.cosines.update(compute_cosines(ask.rows, scorer, show))
                    continue
                metric = metrics.get((chunk.dataset, ask.metric))
                if metric is None:
                    metric = metrics[chunk.dataset, ask.metric] = LazyMetric(ask.metric, scorer)
                    refuse_other(metric.name, metric.metric.signature, ask.signature)
                result.scores.update(_scores(metric, ask.rows, show))
            return result

        return work

    def _scorers(self) -> list[MarsScorer]:
        """One for each data set; they share the models."""
        scorers = []
        if self.recipe is not None:
            first = self.recipe.scorer()
            for dataset in self.datasets:
                scorer = first.with_options()
                scorer.corpus = dataset.corpus
                scorers.append(scorer)
        return scorers


def _scores(
    metric: LazyMetric, rows: dict[bytes, Example], progress: StageProgress
) -> dict[bytes, StoredScore]:
    ready = metric.ready()
    started = perf_counter()
    values = score_all([ready], list(rows.values()), progress)
    seconds = (perf_counter() - started) / len(rows)
    return {
        key: StoredScore(value.scores[metric.name], value.flags, seconds)
        for key, value in zip(rows, values, strict=True)
    }


def _named(progress: StageProgress, name: str, stage: str, done: int, total: int) -> None:
    progress(f"{name}: {stage}", done, total)
