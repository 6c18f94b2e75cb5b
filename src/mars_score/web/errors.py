"""What is said when a request cannot be answered: a message, a remedy, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response

from mars_score.errors import ConfigError, EngineError, InputError, MarsError, ModelError
from mars_score.io.html import printable
from mars_score.web.pages import error_page, page_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


log = logging.getLogger("mars_score.web")
_REMEDY = "\n  remedy: "
LONGEST = 2_000
"""Characters of a message. It may quote a client's text, which can be as long as a request."""


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    message: str = Field(examples=["items: give at least 1 row"])
    remedy: str = Field("", examples=["see /docs for what a request looks like"])


class ErrorAnswer(BaseModel):
    """The answer to every request that cannot be answered otherwise."""

    error: Problem


class HttpError(Exception):
    """A request that is refused, with the status that says so."""

    def __init__(
        self, status: int, message: str, remedy: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})
        self.message, self.remedy = _cut(message), _cut(remedy)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def of_error(error: MarsError) -> HttpError:
    """Tell whose mistake an error of the library is: the client's, or ours."""
    message, _, remedy = str(error).partition(_REMEDY)
    if isinstance(error, InputError | ConfigError):
        return HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, message, remedy)
    if isinstance(error, ModelError | EngineError):
        return HttpError(HTTPStatus.SERVICE_UNAVAILABLE, message, remedy, {"Retry-After": "60"})
    return HttpError(HTTPStatus.INTERNAL_SERVER_ERROR, message, remedy)


def unexpected() -> HttpError:
    """What a client reads about an error in our code; the log has the details."""
    return HttpError(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "the server made a mistake",
        "try again; the server's log says what happened",
    )


def stopping(**headers: str) -> HttpError:
    """The answer to requests that arrive while the server stops."""
    return HttpError(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "the server is stopping",
        "try again when it is back",
        {"Retry-After": "10", **headers},
    )


def answer(error: HttpError, method: str, headers: Headers) -> Response:
    """Answer with JSON, or with a page where a browser asked for one."""
    wants_page = method in ("GET", "HEAD") and "text/html" in headers.get("accept", "")
    if wants_page:
        page, assets = error_page(error.status, error.message, error.remedy)
        return page_response(page, assets, error.status, error.headers)
    # A message may quote a client's text, and half a character cannot be sent.
    content = ErrorAnswer(error=Problem(message=printable(error.message), remedy=printable(error.remedy)))
    return JSONResponse(content.model_dump(), error.status, error.headers)


class HttpMiddleware:
    """Stands before an application, and has a say in its answers to requests over HTTP."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass on what is none."""
        await (self.answer if scope["type"] == "http" else self.app)(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        raise NotImplementedError


class Unexpected(HttpMiddleware):
    """Answers with 500 whatever goes wrong below it; the log says what."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
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
