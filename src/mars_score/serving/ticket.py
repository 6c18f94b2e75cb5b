"""A request in the queue: its rows, how far they are, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mars_score.files.rows import ResultRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mars_score.explaining.explained import ExplainedItem
    from mars_score.serving.settings import Settings
    from mars_score.types import Augmentation, Example, Pair

State = Literal["waiting", "running", "done", "failed", "cancelled"]
OVER: tuple[State, ...] = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class AugmentedRow:
    """The augmented references of one row."""

    id: str
    found: tuple[tuple[Pair, Augmentation], ...]


Row = ResultRow | AugmentedRow


@dataclass(frozen=True, slots=True)
class Outcome:
    """What rows became."""

    rows: list[Row]
    """One for each example, in order."""
    signatures: dict[str, str]
    """By metric."""
    explained: tuple[ExplainedItem, ...] = ()


def _nobody() -> None:
    """Tell nobody."""


@dataclass(slots=True, eq=False)
class Ticket:
    """Filled in by the worker's thread, read by the server's; what is over does not change any more."""

    settings: Settings
    examples: Sequence[Example]
    whole: bool = False
    """Whether its rows must be in one batch, with nobody else's."""
    changed: Callable[[], None] = _nobody
    """Called from the worker's thread whenever there is something new."""
    state: State = "waiting"
    taken: int = 0
    """Rows that have been given to the worker."""
    rows: list[Row] = field(default_factory=list)
    signatures: dict[str, str] = field(default_factory=dict)
    explained: tuple[ExplainedItem, ...] = ()
    error: Exception | None = None
    stage: tuple[str, int, int] = ("waiting", 0, 0)
    """What is being done with the rows at hand: stage, finished, total."""
    told: list[dict[str, Any]] = field(default_factory=list)
    """What a watcher is told, in order."""

    @property
    def left(self) -> int:
        """Rows that still wait."""
        return len(self.examples) - self.taken

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in OVER

    def deliver(self, outcome: Outcome, *, last: bool) -> None:
        """Take the next rows."""
        self.rows += outcome.rows
        self.signatures, self.explained = outcome.signatures, outcome.explained
        if last:
            self.state = "done"
        self.changed()

    def fail(self, error: Exception) -> None:
        """End with an error."""
        if not self.over:
            self.error, self.state = error, "failed"
            self.changed()

    def progress(self, stage: str, finished: int, total: int) -> None:
        """Take note of how far the worker is."""
        self.stage = (stage, finished, total)
        self.changed()

    def tell(self, event: dict[str, Any]) -> None:
        """Tell whoever watches."""
        self.told.append(event)
        self.changed()
