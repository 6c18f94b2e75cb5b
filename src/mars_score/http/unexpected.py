"""The last net: an error that nobody foresaw is logged, and the client gets a plain answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from mars_score.http.errors import answer, log, unexpected

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Unexpected:
    """Answers with 500 whatever goes wrong below it."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception:
            if started:
                raise  # half an answer cannot be mended; the connection is closed
            log.exception("%s %s failed", scope["method"], scope["path"])
            await answer(unexpected(), scope["method"], Headers(scope=scope))(scope, receive, send)
