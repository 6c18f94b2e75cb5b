"""Batches: a slice of each of several requests that ask for the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.serving.ticket import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.serving.settings import Settings
    from mars_score.serving.ticket import Ticket
    from mars_score.types import Example


@dataclass(frozen=True, slots=True)
class Slice:
    """Some rows of a request."""

    ticket: Ticket
    examples: Sequence[Example]
    """Of their own: a ticket that is cancelled lets go of its rows at any time."""
    last: bool
    """Whether no rows of the request are left after these."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What the worker does at once."""

    settings: Settings
    slices: tuple[Slice, ...]

    @property
    def examples(self) -> list[Example]:
        """All rows."""
        return [example for one in self.slices for example in one.examples]

    @property
    def wanted(self) -> bool:
        """Whether anybody still waits for it."""
        return any(not one.ticket.over for one in self.slices)

    def single(self) -> list[Batch]:
        """Return a batch for each request."""
        return [Batch(self.settings, (one,)) for one in self.slices]

    def progress(self, stage: str, finished: int, total: int) -> None:
        """Tell every request how far its batch is."""
        for one in self.slices:
            one.ticket.progress(stage, finished, total)

    def deliver(self, outcome: Outcome) -> None:
        """Give every request its rows."""
        start = 0
        for one in self.slices:
            rows = outcome.rows[start : start + len(one.examples)]
            start += len(one.examples)
            if not one.ticket.over:
                one.ticket.deliver(Outcome(rows, outcome.signatures, outcome.explained), last=one.last)

    def fail(self, error: Exception) -> None:
        """Tell every request that it cannot be answered."""
        for one in self.slices:
            one.ticket.fail(error)


def cut(waiting: Sequence[Ticket], most: int) -> Batch:
    """Cut a batch of up to so many rows from those that wait; the first of them decides what is done.

    Rows are shared out evenly: whoever wants few gets all of them, and what is left goes to the others. So a
    small request is never kept waiting by a large one that asks for the same.
    """
    first = waiting[0]
    if first.whole:
        return Batch(first.settings, (_slice(first, first.left),))
    same = [one for one in waiting if one.settings == first.settings and not one.whole][:most]
    shares: dict[Ticket, int] = {}
    left = most
    for done, one in enumerate(sorted(same, key=lambda one: one.left)):
        shares[one] = min(one.left, max(1, left // (len(same) - done)))
        left -= shares[one]
    return Batch(first.settings, tuple(_slice(one, shares[one]) for one in same))


def _slice(ticket: Ticket, rows: int) -> Slice:
    start = ticket.taken
    ticket.taken += rows
    return Slice(ticket, ticket.examples[start : ticket.taken], last=not ticket.left)
