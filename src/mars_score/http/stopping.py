"""A server's end: new requests are refused, and what has been started is finished."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from mars_score.http.errors import HttpError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Stopping:
    """Whether the server is about to stop, and what is done before it does."""

    def __init__(self) -> None:
        """Begin with a server that runs."""
        self.begun = False
        self._last: list[Callable[[], Awaitable[None]]] = []

    def before(self, last: Callable[[], Awaitable[None]]) -> None:
        """Await this before the server stops; it has a bounded time."""
        self._last.append(last)

    async def finish(self) -> None:
        """Refuse what is new from now on, and finish what there is."""
        self.begun = True
        for last in self._last:
            await last()

    def refuse_new(self) -> None:
        """Refuse a request that would start something."""
        if self.begun:
            raise HttpError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "the server is stopping",
                "try again when it is back",
                {"Retry-After": "10", "Connection": "close"},
            )
