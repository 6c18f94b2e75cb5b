"""Jobs: requests whose clients come back for the result. Bounded in number and age."""

from __future__ import annotations

import asyncio
import secrets
from time import monotonic
from typing import TYPE_CHECKING, Any

from mars_score.io.fields import ResultRow
from mars_score.io.html import shortened
from mars_score.metrics.base import Summary
from mars_score.web.api.state import ringing
from mars_score.web.errors import HttpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mars_score.web.api.queue import Limits, Queue, Ticket

PREVIEW = 20
SHOWN = 160
"""Rows, and characters of each, that a preview has."""


class Job:
    """A ticket with a name, and with people who look on."""

    def __init__(self, ticket: Ticket, name: str, clock: Callable[[], float]) -> None:
        """Begin to listen to the ticket."""
        # Whoever has the id can read the result, so it must not be guessed.
        self.id = secrets.token_urlsafe(18)
        self.ticket, self.name, self.rows = ticket, name, len(ticket.examples)
        self.watchers: set[asyncio.Event] = set()
        self.ended: float | None = None
        self._clock = clock
        self._texts = [shortened(example.candidate, SHOWN) for example in ticket.examples[:PREVIEW]]
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
            self.ticket.examples = ()  # the texts are not needed any more
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
        """How far it is, with the first rows."""
        rows = [row for row in list(self.ticket.rows) if isinstance(row, ResultRow)]
        summary = Summary(list(self.ticket.settings.metrics))
        for row in rows:
            summary.add(row.numbers())
        preview = [
            {"id": row.id, "candidate": text, "scores": row.numbers(), "flags": list(row.flags)}
            for row, text in zip(rows, self._texts, strict=False)
        ]
        return {
            "id": self.id,
            "name": self.name,
            **self.progress(),
            "means": summary.means,
            "preview": preview,
        }


class Jobs:
    """All jobs by id."""

    def __init__(self, limits: Limits, queue: Queue, clock: Callable[[], float] = monotonic) -> None:
        """Begin with none."""
        self._limits, self._queue, self._clock = limits, queue, clock
        self._jobs: dict[str, Job] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._jobs.values()))

    def add(self, ticket: Ticket, name: str) -> Job:
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
        job = Job(ticket, name, self._clock)
        self._queue.submit(ticket)
        self._jobs[job.id] = job
        return job

    def _full(self, rows: int) -> bool:
        kept = sum(job.rows for job in self._jobs.values())
        return bool(self._jobs) and (
            len(self._jobs) >= self._limits.jobs or kept + rows > self._limits.kept_rows
        )

    def find(self, name: str) -> Job:
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
