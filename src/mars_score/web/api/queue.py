"""The queue between the server, which has many clients, and the worker, which has one set of models."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

from mars_score.types import ResultRow
from mars_score.web.errors import HttpError, stopping

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mars_score.types import Augmentation, Example, Pair
    from mars_score.web.explain.data import ExplainedItem


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """All bounds in one place."""

    body: int = 16 << 20
    """Bytes of a request."""
    bodies: int = 64 << 20
    """Bytes of all requests that are in memory; small ones are taken all the same."""
    text: int = 100_000
    """Characters of one text."""
    references: int = 32
    """References of one row."""
    rows: int = 1_000
    """Rows of a request that waits for its answer."""
    job_rows: int = 20_000
    """Rows of a job."""
    explained: int = 50
    """Rows of a request that wants explanations."""
    queue_rows: int = 40_000
    """Rows that wait."""
    queue_requests: int = 128
    """Requests that wait, or are being worked on."""
    jobs: int = 64
    """Jobs that are kept, finished ones included."""
    kept_rows: int = 200_000
    """Rows of all jobs that are kept: some hundred megabytes at most."""
    kept_texts: int = 64 << 20
    """Characters of the rows of finished jobs, which can be listed and explained as long as they are kept."""
    job_age: float = 3600.0
    """Seconds that a finished job is kept."""


FEWEST, FIRST, MOST = 4, 32, 256
"""Rows in a batch. New references take far longer than known ones, and nobody knows beforehand."""
SHORT, LONG = 1.0, 4.0
"""Seconds of the worker's own time that a batch should take. Small batches are dear, as a row costs a third of what it
does alone; what other programs do to the clock must not make them small."""
SMOOTHING = 0.3
LONGEST_WAIT = 60


class Pace:
    """Learns from every batch."""

    def __init__(self) -> None:
        self.rows = FIRST
        self.seconds_a_row = 0.05

    def learn(self, rows: int, seconds: float, busy: float) -> None:
        """Take note of how long a batch took, and for how much of that the worker was busy."""
        self.seconds_a_row += SMOOTHING * (seconds / max(rows, 1) - self.seconds_a_row)
        if busy > LONG:
            self.rows = max(self.rows // 2, FEWEST)
        elif busy < SHORT and rows >= self.rows:
            self.rows = min(self.rows * 2, MOST)

    def wait(self, rows: int) -> int:
        """Return the seconds after which so many rows may be done, within reason."""
        return max(1, min(LONGEST_WAIT, round(rows * self.seconds_a_row)))


Kind = Literal["score", "augment"]


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """What a request asks for."""

    preset: str
    metrics: tuple[str, ...] = ("mars",)
    kind: Kind = "score"
    explain: bool = False
    """Also explain the MARS scores."""
    watch: bool = False
    """Also tell of each template as it is filled."""


State = Literal["waiting", "running", "done", "failed", "cancelled"]
OVER: tuple[State, ...] = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class AugmentedRow:
    """The augmented references of one row."""

    id: str
    found: tuple[tuple[Pair, Augmentation], ...]


AnswerRow = ResultRow | AugmentedRow


@dataclass(frozen=True, slots=True)
class TicketOutcome:
    """What rows became."""

    rows: list[AnswerRow]
    """One for each example, in order."""
    signatures: dict[str, str]
    """By metric."""
    explained: tuple[ExplainedItem, ...] = ()


def _nobody() -> None:
    """Tell nobody."""


@dataclass(slots=True, eq=False)
class Ticket:
    """Filled in by the worker's thread, read by the server's; what is over does not change any more."""

    settings: RequestSettings
    examples: Sequence[Example]
    whole: bool = False
    """Whether its rows must be in one batch, with nobody else's."""
    changed: Callable[[], None] = _nobody
    """Called from the worker's thread whenever there is something new."""
    state: State = "waiting"
    taken: int = 0
    """Rows that have been given to the worker."""
    rows: list[AnswerRow] = field(default_factory=list)
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

    def deliver(self, outcome: TicketOutcome, *, last: bool) -> None:
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


@dataclass(frozen=True, slots=True)
class Slice:
    """Some rows of a request."""

    ticket: Ticket
    examples: Sequence[Example]
    """Of their own: a ticket that is cancelled lets go of its rows at any time."""
    last: bool
    """Whether no rows of the request are left after these."""


@dataclass(frozen=True, slots=True)
class RequestBatch:
    """What the worker does at once."""

    settings: RequestSettings
    slices: tuple[Slice, ...]

    @property
    def examples(self) -> list[Example]:
        """All rows."""
        return [example for one in self.slices for example in one.examples]

    @property
    def wanted(self) -> bool:
        """Whether anybody still waits for it."""
        return any(not one.ticket.over for one in self.slices)

    def single(self) -> list[RequestBatch]:
        """Return a batch for each request."""
        return [RequestBatch(self.settings, (one,)) for one in self.slices]

    def progress(self, stage: str, finished: int, total: int) -> None:
        """Tell every request how far its batch is."""
        for one in self.slices:
            one.ticket.progress(stage, finished, total)

    def deliver(self, outcome: TicketOutcome) -> None:
        """Give every request its rows."""
        start = 0
        for one in self.slices:
            rows = outcome.rows[start : start + len(one.examples)]
            start += len(one.examples)
            if not one.ticket.over:
                one.ticket.deliver(TicketOutcome(rows, outcome.signatures, outcome.explained), last=one.last)

    def fail(self, error: Exception) -> None:
        """Tell every request that it cannot be answered."""
        for one in self.slices:
            one.ticket.fail(error)


def cut(waiting: Sequence[Ticket], most: int) -> RequestBatch:
    """Cut a batch of up to so many rows from those that wait; the first of them decides what is done.

    Rows are shared out evenly: whoever wants few gets all of them, and what is left goes to the others. So a
    small request is never kept waiting by a large one that asks for the same.
    """
    first = waiting[0]
    if first.whole:
        return RequestBatch(first.settings, (_slice(first, first.left),))
    same = [one for one in waiting if one.settings == first.settings and not one.whole][:most]
    shares: dict[Ticket, int] = {}
    left = most
    for done, one in enumerate(sorted(same, key=lambda one: one.left)):
        shares[one] = min(one.left, max(1, left // (len(same) - done)))
        left -= shares[one]
    return RequestBatch(first.settings, tuple(_slice(one, shares[one]) for one in same))


def _slice(ticket: Ticket, rows: int) -> Slice:
    start = ticket.taken
    ticket.taken += rows
    return Slice(ticket, ticket.examples[start : ticket.taken], last=not ticket.left)


class Queue:
    """Requests in line. Whoever has had a turn and wants more goes to the end of it."""

    def __init__(self, limits: ServerLimits, pace: Pace) -> None:
        self._limits, self._pace = limits, pace
        self._waiting: deque[Ticket] = deque()
        self._working: RequestBatch | None = None
        self._closed = False
        self._changed = threading.Condition()

    @property
    def requests(self) -> int:
        """How many requests wait or are being worked on."""
        with self._changed:
            return self._requests()

    @property
    def rows(self) -> int:
        """How many rows wait."""
        with self._changed:
            return sum(ticket.left for ticket in self._waiting)

    def submit(self, ticket: Ticket) -> None:
        """Put a request in line, or refuse it."""
        with self._changed:
            if self._closed:
                raise stopping()
            rows = sum(one.left for one in self._waiting)
            if self._requests() >= self._limits.queue_requests or (
                rows and rows + ticket.left > self._limits.queue_rows
            ):
                wait = self._pace.wait(rows)
                raise HttpError(
                    HTTPStatus.TOO_MANY_REQUESTS,
                    f"{self._requests()} requests with {rows} rows are waiting already",
                    f"try again in {wait} s",
                    {"Retry-After": str(wait)},
                )
            self._waiting.append(ticket)
            self._changed.notify_all()

    def cancel(self, ticket: Ticket) -> None:
        """Drop a request: its rows that are not computed yet never will be."""
        with self._changed:
            if not ticket.over:
                ticket.state = "cancelled"
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            self._changed.notify_all()
        ticket.changed()

    def take(self) -> RequestBatch | None:
        """Wait for work. None means that there will be no more."""
        with self._changed:
            self._working = None
            while not self._waiting:
                if self._closed:
                    return None
                self._changed.wait()
            batch = cut(self._waiting, self._pace.rows)
            for one in batch.slices:
                one.ticket.state = "running"
                self._waiting.remove(one.ticket)
                if one.ticket.left:
                    self._waiting.append(one.ticket)
            self._working = batch
            return batch

    def drop(self, batch: RequestBatch) -> None:
        """Forget the further rows of requests that failed."""
        with self._changed:
            for one in batch.slices:
                if one.ticket.over and one.ticket in self._waiting:
                    self._waiting.remove(one.ticket)

    def close(self) -> None:
        """Take no more requests, and send away those that have not been started."""
        with self._changed:
            self._closed = True
            fresh = [ticket for ticket in self._waiting if not ticket.taken]
            self._waiting = deque(ticket for ticket in self._waiting if ticket.taken)
            self._changed.notify_all()
        for ticket in fresh:
            ticket.fail(stopping())

    def abandon(self) -> None:
        """Give up everything, also what has been started."""
        self.close()
        with self._changed:
            working = [one.ticket for one in self._working.slices] if self._working else []
            left = list(dict.fromkeys([*self._waiting, *working]))
            self._waiting.clear()
            self._changed.notify_all()
        for ticket in left:
            ticket.fail(stopping())

    def _requests(self) -> int:
        working = self._working.slices if self._working else ()
        return len(self._waiting) + sum(
            one.ticket not in self._waiting and not one.ticket.over for one in working
        )
