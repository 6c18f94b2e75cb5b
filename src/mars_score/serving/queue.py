"""The queue between the server, which has many clients, and the worker, which has one set of models."""

from __future__ import annotations

import threading
from collections import deque
from http import HTTPStatus
from typing import TYPE_CHECKING

from mars_score.http.errors import HttpError
from mars_score.serving.batching import cut

if TYPE_CHECKING:
    from mars_score.serving.batching import Batch
    from mars_score.serving.limits import Limits
    from mars_score.serving.pace import Pace
    from mars_score.serving.ticket import Ticket


class Queue:
    """Requests in line. Whoever has had a turn and wants more goes to the end of it."""

    def __init__(self, limits: Limits, pace: Pace) -> None:
        """Begin empty."""
        self._limits, self._pace = limits, pace
        self._waiting: deque[Ticket] = deque()
        self._working: Batch | None = None
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

    def take(self) -> Batch | None:
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

    def drop(self, batch: Batch) -> None:
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


def stopping() -> HttpError:
    """What is said to whoever comes too late."""
    return HttpError(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "the server is stopping",
        "try again when it is back",
        {"Retry-After": "10"},
    )
