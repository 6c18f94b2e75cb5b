"""What the routes of one server share, and waiting for a request's turn."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.web.api.queue import Ticket

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request

    from mars_score.types import Example
    from mars_score.web.api.jobs import Jobs
    from mars_score.web.api.queue import Limits, Queue, Settings
    from mars_score.web.api.scorers import Service
    from mars_score.web.api.worker import Worker
    from mars_score.web.server import Stopping


# Waiting for a request's turn, as long as there is a client to answer.


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


# What the routes of one server share.


@dataclass(frozen=True, slots=True)
class ServerState:
    """Queue, worker and jobs."""

    service: Service
    limits: Limits
    queue: Queue
    worker: Worker
    jobs: Jobs
    stopping: Stopping

    def ticket(self, settings: Settings, examples: Sequence[Example]) -> Ticket:
        """Return a request, not in line yet."""
        # With IDF from the corpus, a score depends on all rows of its request, and on no others. An explanation
        # sets candidates side by side.
        corpus = self.service.presets[settings.preset].masking.idf == "corpus"
        return Ticket(settings, examples, whole=corpus or settings.explain or settings.watch)
