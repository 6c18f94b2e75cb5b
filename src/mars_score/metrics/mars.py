"""MARS, its ablations and its variants, as metrics among others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mars_score.metrics.base import Input, Value
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer


class MarsMetric:
    """A scorer under a name of its own."""

    higher_is_better = True
    inputs: tuple[Input, ...] = ("references", "context")

    def __init__(self, name: str, scorer: MarsScorer) -> None:
        """Take a scorer with the settings that the name stands for."""
        self.name, self.scorer = name, scorer

    def warm_up(self) -> None:
        """Load what every row needs, so that the first row shows its true cost."""
        self.scorer.encoder.encode(["The rain stopped."])

    @property
    def signature(self) -> str:
        """That of the scorer: its settings say which variant it is."""
        return self.scorer.signature

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Augment what is new, then compare; the texts are clean."""
        result = self.scorer.score_cleaned(examples, progress=progress)
        return [Value(item.score, item.flags) for item in result]
