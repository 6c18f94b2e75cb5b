"""What every metric offers: examples in, one number each out, and a signature that says how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from mars_score.progress import StageProgress, silent_stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.types import Example

Input = Literal["references", "context"]
"""What a metric reads beside the candidate."""


@dataclass(frozen=True, slots=True)
class Value:
    """The score of one example."""

    score: float | None
    """None where the metric is not defined; a flag then says why."""
    flags: tuple[str, ...] = ()


class Metric(Protocol):
    """A metric, with its models at hand."""

    @property
    def name(self) -> str:
        """As on the command line and in results."""

    @property
    def higher_is_better(self) -> bool:
        """The direction."""

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What it reads beside the candidate."""

    @property
    def signature(self) -> str:
        """Equal signature and equal input mean equal score."""

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Score examples, in their order; the score of one does not depend on the others."""
