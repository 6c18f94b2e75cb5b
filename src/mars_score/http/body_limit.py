"""How large a request may be, and how much of all requests is in memory.

Bytes are counted as they come, as not every client says how many there will be.
"""

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
SMALL = 1 << 16
"""Bytes of a body that there is always room for, so that large ones keep nobody else out."""
_MOST_DIGITS = 18


class BodyLimit:
    """Refuses larger bodies with 413, and with 503 those that there is no room for now.

    What lies below it sees whole bodies only. A body counts until its request is answered.
    """

    def __init__(self, app: ASGIApp, limit: int, budget: int) -> None:
        """Wrap an application; the limit is that of one body and the budget that of all, in bytes."""
        self.app, self.limit, self.budget = app, limit, budget
        self.held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        told = headers.get("content-length", "0")
        error = None
        if told.isdecimal() and (len(told) > _MOST_DIGITS or int(told) > PATIENCE * self.limit):
            error = self._too_large()
        # One piece: a list of messages costs some hundred bytes for each, and a client may send them one by one.
        body = bytearray()
        size, counted, more = 0, 0, error is None
        try:
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return  # the client went away while it was sending
                part: bytes = message.get("body", b"")
                size, more = size + len(part), message.get("more_body", False)
                if size > self.limit:
                    error, more = self._too_large(), more and size <= PATIENCE * self.limit
                elif size > SMALL and self.held + size - counted > self.budget:
                    error = error or self._no_room()
                if error is None:
                    body += part
                else:
                    body = bytearray()
                self.held, counted = self.held - counted + len(body), len(body)
            if error is not None:
                await answer(error, scope["method"], headers)(scope, receive, send)
                return
            whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]
            body = bytearray()

            async def replay() -> Message:
                return whole.pop() if whole else await receive()

            await self.app(scope, replay, send)
        finally:
            self.held -= counted

    def _too_large(self) -> HttpError:
        return HttpError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the request is larger than {self.limit:,} bytes",
            "send fewer rows at a time",
            {"Connection": "close"},
        )

    @staticmethod
    def _no_room() -> HttpError:
        return HttpError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "the server is reading as many large requests as it has memory for",
            "try again in 10 s, or send fewer rows at a time",
            {"Retry-After": "10", "Connection": "close"},
        )
