"""What a worker does with a batch. The instructions survive pickling, so any process can follow them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mars_score.errors import EngineError
from mars_score.metrics.base import Metric, score_all
from mars_score.metrics.registry import MarsMetric, make_metric
from mars_score.storage.augmentations import Costs
from mars_score.storage.cache import cache_folder
from mars_score.types import Augmentation, Example, Pair, ResultRow

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer
    from mars_score.progress import StageProgress
    from mars_score.run.base import Worker

Row = TypeVar("Row")
Augmented = tuple["Pair", "Augmentation"]
"""A context with a reference, and its augmentation."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Row]):
    """What a batch became, and what that took."""

    rows: list[Row]
    """One for each example of the batch, in order."""
    costs: Costs
    seconds: float
    peak_memory: int
    """The most bytes that the process which did it had so far."""


@dataclass(frozen=True)
class ScoreWork:
    """Scores batches of examples with several metrics."""

    recipe: ScorerRecipe
    metrics: tuple[str, ...]
    strict: bool = False
    made: tuple[Metric, ...] = field(default=(), compare=False, repr=False)
    """Metrics that this process has made already. They do not travel: another process makes its own."""
    expected: tuple[str, ...] = ()
    """The signatures that they must have there."""

    def __getstate__(self) -> dict[str, Any]:
        expected = tuple(metric.signature for metric in self.made) or self.expected
        return {**vars(self), "made": (), "expected": expected}

    def __call__(self, progress: StageProgress) -> Worker[Sequence[Example], Outcome[ResultRow]]:
        """Make the metrics, once for all batches."""
        scorer = self.recipe.scorer()
        metrics = self.made or tuple(make_metric(name, scorer) for name in self.metrics)
        for metric, expected in zip(metrics, self.expected, strict=False):
            refuse_other(metric.name, metric.signature, expected)
        for metric in metrics:
            if isinstance(metric, MarsMetric):
                metric.warm_up()

        def score(batch: Sequence[Example]) -> list[ResultRow]:
            return score_all(metrics, batch, progress, strict=self.strict)

        return _with_costs(score, scorer)


@dataclass(frozen=True)
class AugmentWork:
    """Augments batches of examples that have one reference each, and whose texts are clean."""

    recipe: ScorerRecipe
    expected: str = ""
    """The signature that a scorer must have in another process."""

    def __getstate__(self) -> dict[str, Any]:
        made = self.recipe.made
        return {**vars(self), "expected": self.expected if made is None else made.signature}

    def __call__(self, progress: StageProgress) -> Worker[Sequence[Example], Outcome[Augmented]]:
        """Make the scorer, once for all batches."""
        scorer = self.recipe.scorer()
        if self.expected:
            refuse_other("mars", scorer.signature, self.expected)

        def augment(batch: Sequence[Example]) -> list[Augmented]:
            augmented = scorer.augment_examples(batch, progress=progress)
            return [(example.pairs[0], augmented[example.pairs[0]]) for example in batch]

        return _with_costs(augment, scorer)


@dataclass(frozen=True)
class ScorerRecipe:
    """How to make a scorer, which this process may have done already; models do not travel."""

    made: MarsScorer | None
    arguments: dict[str, Any] = field(default_factory=dict)
    corpus: Sequence[Example] | None = None
    """Whose references count, with IDF from the corpus."""

    @classmethod
    def of(cls, scorer: MarsScorer) -> ScorerRecipe:
        """Describe a scorer. The user's folder for the cache is for each machine to find."""
        store = scorer.augmentations
        arguments = {
            "config": scorer.config,
            "device": scorer.parts.device,
            "memory": scorer.parts.memory,
            "cache": store.cache and (store.cache.folder == cache_folder() or store.cache.folder),
            "pack": store.pack.path if store.pack else None,
        }
        return cls(scorer, arguments, scorer.corpus)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "made": None}

    def scorer(self) -> MarsScorer:
        """Return the scorer; no model is loaded yet."""
        if self.made is not None:
            return self.made
        from mars_score.mars.scorer import MarsScorer

        scorer = MarsScorer(**self.arguments)
        scorer.corpus = self.corpus
        return scorer


def augmented_content(pair: Pair, augmentation: Augmentation) -> dict[str, Any]:
    """The augmented references of one context and reference, as they are written and sent."""
    return {
        "context": pair.context,
        "reference": pair.reference,
        "augmented": [
            {"ratio": variant.ratio, "template": str(variant.template), "text": variant.text}
            for variant in augmentation.augmented
        ],
        "flags": list(augmentation.flags),
    }


def refuse_other(name: str, actual: str, expected: str) -> None:
    """Refuse to work where algorithms or models are others: such numbers do not belong to the rest."""
    if actual != expected:
        raise EngineError(
            f"a worker's {name} is not the one that was asked for:\n  {actual}\n  instead of\n  {expected}\n"
            "  remedy: install the same version of mars-score and the same models on every machine"
        )


def _with_costs(
    work: Callable[[Sequence[Example]], list[Row]], scorer: MarsScorer
) -> Worker[Sequence[Example], Outcome[Row]]:
    def do(batch: Sequence[Example]) -> Outcome[Row]:
        before, started = astuple(scorer.costs), perf_counter()
        rows = work(batch)
        spent = Costs(*(now - then for now, then in zip(astuple(scorer.costs), before, strict=True)))
        return Outcome(rows, spent, perf_counter() - started, peak_memory())

    return do


def peak_memory() -> int:
    """The most bytes of memory that this process had so far; 0 where the system does not tell."""
    try:  # on Linux; getrusage tells there of the process that started this one, too
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
