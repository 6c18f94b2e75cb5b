"""How large a request may be. Bytes are counted as they come, as not every client says how many there will be."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from mars_score.http.errors import HttpError, answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATIENCE = 8
"""A body of up to this many times the limit is read to its end and dropped, so that the client gets to read the
answer; whoever goes on sending after that is cut off."""


class BodyLimit:
    """Refuses larger bodies with 413; what lies below it sees whole bodies only."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        """Wrap an application; the limit is in bytes."""
        self.app, self.limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        told = headers.get("content-length", "0")
        if told.isdecimal() and int(told) > PATIENCE * self.limit:
            await self._refuse(scope, receive, send, headers)
            return
        held: list[Message] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return  # the client went away while it was sending
            size += len(message.get("body", b""))
            more = message.get("more_body", False)
            if size <= self.limit:
                held.append(message)
            elif size > PATIENCE * self.limit:
                break
            else:
                held.clear()
        if size > self.limit:
            await self._refuse(scope, receive, send, headers)
            return

        async def replay() -> Message:
            return held.pop(0) if held else await receive()

        await self.app(scope, replay, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        error = HttpError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the request is larger than {self.limit:,} bytes",
            "send fewer rows at a time",
            {"Connection": "close"},
        )
        await answer(error, scope["method"], headers)(scope, receive, send)
