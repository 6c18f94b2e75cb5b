"""What a worker does with a chunk of a study. The instructions survive pickling; models and stores do not travel."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from mars_score.metrics.scoring import score_all
from mars_score.study.lazy_metric import LazyMetric
from mars_score.study.ratio_cosines import Cosines, compute_cosines
from mars_score.study.score_store import Entry
from mars_score.work import ScorerRecipe, refuse_other

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.engines.base import Worker
    from mars_score.progress import StageProgress
    from mars_score.scorer import MarsScorer
    from mars_score.types import Example


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

    place: int
    """Of the data set in the study."""
    asks: tuple[Ask, ...]

    def __len__(self) -> int:
        return sum(len(ask.rows) for ask in self.asks)


@dataclass(frozen=True, slots=True)
class Found:
    """What a chunk became: scores or cosines, by key."""

    scores: dict[bytes, Entry] = field(default_factory=dict)
    cosines: dict[bytes, Cosines] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """A data set as its worker sees it."""

    name: str
    corpus: Sequence[Example] | None
    """Whose references count, with IDF from the corpus."""


@dataclass(frozen=True)
class ChunkWork:
    """Computes chunks."""

    places: tuple[Place, ...]
    made: tuple[tuple[MarsScorer, tuple[LazyMetric, ...]], ...]
    """What this process has already, for each data set. It does not travel: another process makes its own."""
    recipe: ScorerRecipe | None = None
    """How another process does that."""

    def __getstate__(self) -> dict[str, Any]:
        recipe = ScorerRecipe.of(self.made[0][0]) if self.made else self.recipe
        return {"places": self.places, "made": (), "recipe": recipe}

    def __call__(self, progress: StageProgress) -> Worker[Chunk, Found]:
        """Prepare for every data set; no model is loaded before a chunk needs it."""
        scorers = [scorer for scorer, _ in self.made] or self._scorers()
        metrics = {(at, one.name): one for at, (_, own) in enumerate(self.made) for one in own}

        def work(chunk: Chunk) -> Found:
            show = partial(_named, progress, self.places[chunk.place].name)
            scorer = scorers[chunk.place]
            found = Found()
            for ask in chunk.asks:
                if ask.metric is None:
                    found.cosines.update(compute_cosines(ask.rows, scorer, show))
                    continue
                metric = metrics.get((chunk.place, ask.metric))
                if metric is None:
                    metric = metrics[chunk.place, ask.metric] = LazyMetric(ask.metric, scorer)
                    refuse_other(metric.name, metric.metric.signature, ask.signature)
                found.scores.update(_scores(metric, ask.rows, show))
            return found

        return work

    def _scorers(self) -> list[MarsScorer]:
        """One for each data set; they share the models."""
        found = []
        if self.recipe is not None:
            first = self.recipe.scorer()
            for place in self.places:
                own = first.sibling()
                own.corpus = place.corpus
                found.append(own)
        return found


def _scores(metric: LazyMetric, rows: dict[bytes, Example], progress: StageProgress) -> dict[bytes, Entry]:
    ready = metric.ready()
    started = perf_counter()
    values = score_all([ready], list(rows.values()), progress)
    seconds = (perf_counter() - started) / len(rows)
    return {
        key: Entry(value.scores[metric.name], value.flags, seconds)
        for key, value in zip(rows, values, strict=True)
    }


def _named(progress: StageProgress, name: str, stage: str, done: int, total: int) -> None:
    progress(f"{name}: {stage}", done, total)
