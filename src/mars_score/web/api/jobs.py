"""What the routes of one server share: waiting for a request's turn, and jobs, whose clients come back later."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request

from mars_score.io.html import shortened
from mars_score.metrics.base import Summary
from mars_score.types import ResultRow
from mars_score.web.api.queue import Ticket
from mars_score.web.errors import HttpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mars_score.types import Example
    from mars_score.web.api.queue import Queue, RequestSettings, ServerLimits
    from mars_score.web.api.scorers import Service, Worker
    from mars_score.web.server import GracefulStop

SHOWN = 160
"""Characters of a candidate that a list of rows shows."""


class GoneError(Exception):
    """The client does not wait any more."""


def ringing(loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> Callable[[], None]:
    """Return what the worker's thread calls to have something called in the server's."""

    def call() -> None:
        with suppress(RuntimeError):  # the server has ended before its worker
            loop.call_soon_threadsafe(ring)

    return call


async def finished(request: Request, ticket: Ticket, queue: Queue) -> None:
    """Put a request in line and wait for its end; a client that goes away leaves the line."""
    over = asyncio.Event()
    ring = ringing(asyncio.get_running_loop(), over.set)
    ticket.changed = lambda: ring() if ticket.over else None
    queue.submit(ticket)
    waits = [asyncio.create_task(over.wait()), asyncio.create_task(_gone(request))]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        if not ticket.over:
            queue.cancel(ticket)
    if ticket.error is not None:
        raise ticket.error
    if ticket.state == "cancelled":
        raise GoneError


async def _gone(request: Request) -> None:
    """Wait for the client to go away; the body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


class ServerJob:
    """A ticket with a name, and with people who look on."""

    def __init__(self, ticket: Ticket, name: str, clock: Callable[[], float]) -> None:
        # Whoever has the id can read the result, so it must not be guessed.
        self.id = secrets.token_urlsafe(18)
        self.ticket, self.name, self.rows = ticket, name, len(ticket.examples)
        self.watchers: set[asyncio.Event] = set()
        self.ended: float | None = None
        self._clock = clock
        self.examples = ticket.examples
        """The rows, so that each can be found and explained; none once their memory was needed."""
        self.size = sum(
            len(one.candidate) + len(one.context) + sum(map(len, one.references)) for one in self.examples
        )
        self._rung = False
        ring = ringing(asyncio.get_running_loop(), self._ring)

        def changed() -> None:
            if not self._rung:  # many changes in a moment are one
                self._rung = True
                ring()

        ticket.changed = changed

    def _ring(self) -> None:
        self._rung = False
        if self.ticket.over and self.ended is None:
            self.ended = self._clock()
            self.ticket.examples = ()
        for watcher in self.watchers:
            watcher.set()

    def progress(self) -> dict[str, Any]:
        """How far it is, in numbers."""
        stage, done, total = self.ticket.stage
        return {
            "state": self.ticket.state,
            "stage": stage,
            "done": done,
            "total": total,
            "rows_done": len(self.ticket.rows),
            "rows": self.rows,
        }

    def state(self) -> dict[str, Any]:
        """How far it is, with the means so far."""
        summary = Summary(list(self.ticket.settings.metrics))
        for row in self._done():
            summary.add(row.numbers())
        return {"id": self.id, "name": self.name, **self.progress(), "means": summary.means}

    def _done(self) -> list[ResultRow]:
        return [row for row in list(self.ticket.rows) if isinstance(row, ResultRow)]

    def list_rows(
        self, *, sort: str, descending: bool, search: str, flag: str, offset: int, count: int
    ) -> dict[str, Any]:
        """Some of the rows: those that have all words that are looked for, in the order that is asked for."""
        if not self.examples:
            raise forgotten()
        done = self._done()
        wanted = search.casefold().split()

        def fits(number: int) -> bool:
            text = f"{self.examples[number].id} {self.examples[number].candidate}".casefold()
            flagged = not flag or (number < len(done) and flag in done[number].flags)
            return flagged and all(word in text for word in wanted)

        def key(number: int) -> tuple[bool, Any]:
            if sort == "id":
                return False, self.examples[number].id
            value = done[number].numbers().get(sort) if number < len(done) else None
            return (
                value is None
            ) != descending, 0.0 if value is None else value  # what has no score comes last

        numbers = [number for number in range(self.rows) if fits(number)]
        if sort:
            numbers.sort(key=key, reverse=descending)
        return {
            "rows": self.rows,
            "fitting": len(numbers),
            "flags": dict(sorted(Counter(flag for row in done for flag in row.flags).items())),
            "page": [self._row(number, done) for number in numbers[offset : offset + count]],
        }

    def _row(self, number: int, done: Sequence[ResultRow]) -> dict[str, Any]:
        example, row = self.examples[number], done[number] if number < len(done) else None
        return {
            "number": number,
            "id": example.id,
            "candidate": shortened(example.candidate, SHOWN),
            "scores": row.numbers() if row else None,
            "flags": list(row.flags) if row else [],
        }

    def same_item(self, number: int, most: int) -> list[Example]:
        """The row of a number, and the other candidates for the same context and references."""
        if not self.examples:
            raise forgotten()
        if not 0 <= number < self.rows:
            raise HttpError(404, f"there is no row {number}", f"the rows are 0 to {self.rows - 1}")
        row = self.examples[number]
        return [row, *(one for one in self.examples if one is not row and one.pairs == row.pairs)][:most]


def forgotten() -> HttpError:
    """What is said of a job whose scores are known, and whose texts are not any more."""
    return HttpError(410, "the texts of these rows are not kept any more", "upload the file again")


class Jobs:
    """All jobs by id, bounded in number and age."""

    def __init__(self, limits: ServerLimits, queue: Queue, clock: Callable[[], float] = monotonic) -> None:
        self._limits, self._queue, self._clock = limits, queue, clock
        self._jobs: dict[str, ServerJob] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[ServerJob]:
        return iter(list(self._jobs.values()))

    def add(self, ticket: Ticket, name: str) -> ServerJob:
        """Start a job. If there are too many, those that have been finished longest make room."""
        self._forget_old()
        finished = sorted(
            (job for job in self._jobs.values() if job.ended is not None), key=lambda job: job.ended or 0.0
        )
        while self._full(len(ticket.examples)):
            if not finished:
                message = f"{len(self._jobs)} jobs are running already"
                raise HttpError(429, message, "try again in 10 s", {"Retry-After": "10"})
            del self._jobs[finished.pop(0).id]
        job = ServerJob(ticket, name, self._clock)
        self._queue.submit(ticket)
        self._jobs[job.id] = job
        self._forget_texts()
        return job

    def _forget_texts(self) -> None:
        """Let go of the texts of the jobs that were finished first, while there are too many."""
        ended = sorted((job for job in self if job.ended is not None), key=lambda job: job.ended or 0.0)
        size = sum(job.size for job in self if job.examples)
        for job in ended:
            if size <= self._limits.kept_texts:
                return
            size -= job.size if job.examples else 0
            job.examples = ()

    def _full(self, rows: int) -> bool:
        kept = sum(job.rows for job in self._jobs.values())
        return bool(self._jobs) and (
            len(self._jobs) >= self._limits.jobs or kept + rows > self._limits.kept_rows
        )

    def find(self, name: str) -> ServerJob:
        """Return a job."""
        self._forget_old()
        if name not in self._jobs:
            raise HttpError(404, "there is no such job, or not any more", "start it again with POST /v1/jobs")
        return self._jobs[name]

    def remove(self, name: str) -> None:
        """Cancel and forget a job."""
        job = self.find(name)
        self._queue.cancel(job.ticket)
        del self._jobs[name]

    def _forget_old(self) -> None:
        oldest = self._clock() - self._limits.job_age
        self._jobs = {
            name: job for name, job in self._jobs.items() if job.ended is None or job.ended >= oldest
        }


@dataclass(frozen=True, slots=True)
class ServerState:
    """Queue, worker and jobs."""

    service: Service
    limits: ServerLimits
    queue: Queue
    worker: Worker
    jobs: Jobs
    stopping: GracefulStop

    def ticket(self, settings: RequestSettings, examples: Sequence[Example]) -> Ticket:
        """Return a request, not in line yet."""
        # With IDF from the corpus, a score depends on all rows of its request, and on no others. An explanation
        # sets candidates side by side.
        corpus = self.service.presets[settings.preset].masking.idf == "corpus"
        return Ticket(settings, examples, whole=corpus or settings.explain or settings.watch)


async def find_state(request: Request) -> ServerState:
    """Return what the application of a request was made with."""
    state: ServerState = request.app.state.server
    return state


State = Annotated[ServerState, Depends(find_state)]
