"""Waiting for a request's turn, as long as there is a client to answer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from mars_score.serving.queue import Queue
    from mars_score.serving.ticket import Ticket


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
