"""The application that both servers start from."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response  # noqa: TC002  (FastAPI reads the annotations)

from mars_score.errors import ConfigError, MarsError
from mars_score.version import __version__
from mars_score.web.errors import ErrorAnswer, HttpError, Unexpected, answer, log, of_error
from mars_score.web.pages import docs_page
from mars_score.web.security import BodyLimit, Gate, SecurityHeaders
from mars_score.web.server import GracefulStop

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager


NEEDED = ("fastapi", "uvicorn")


def check_extra(command: str) -> None:
    """Refuse a command whose libraries are absent, and say how to get them."""
    absent = [name for name in NEEDED if find_spec(name) is None]
    if absent:
        raise ConfigError(
            f"mars-score {command} needs {' and '.join(absent)}\n  remedy: pip install 'mars-score[serve]'"
        )


REFUSALS = {
    HTTPStatus.BAD_REQUEST: "The request cannot be read.",
    HTTPStatus.UNAUTHORIZED: "The server has a token, and the request has none or a wrong one.",
    HTTPStatus.REQUEST_TIMEOUT: "The headers or the body took too long.",
    HTTPStatus.FORBIDDEN: "The request uses a foreign name for this server, or comes from a foreign page.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is larger than the server takes.",
    HTTPStatus.UNPROCESSABLE_ENTITY: "A field is absent, of the wrong kind or out of bounds; the message names it.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server made a mistake; its log says which.",
    HTTPStatus.SERVICE_UNAVAILABLE: "The server is loading, stopping or full, or a model is out of order.",
}
"""What any request may be answered with."""


def make_app(
    title: str,
    description: str,
    *,
    token: str | None,
    hosts: tuple[str, ...],
    limit: int,
    budget: int | None = None,
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[Any]] | None = None,
) -> FastAPI:
    """Return an application without routes but for /openapi.json and /docs.

    `hosts` are the names it answers to (`hosts_for`), none for any; `limit` is the largest body in bytes,
    `budget` that of all bodies in memory, four of the largest by default. `app.state.stopping` is a `GracefulStop`.
    """
    stopping = GracefulStop()
    app = FastAPI(
        title=title,
        description=description,
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses={int(status): refusal(meaning) for status, meaning in REFUSALS.items()},
        dependencies=[Security(HTTPBearer(auto_error=False, description="The server's token."))]
        if token
        else [],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(Unexpected),
            Middleware(Gate, token=token, hosts=hosts, stopping=stopping),
            Middleware(BodyLimit, limit=limit, budget=4 * limit if budget is None else budget),
        ],
    )
    app.state.stopping = stopping
    app.add_exception_handler(HttpError, _refused)
    app.add_exception_handler(MarsError, _failed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _other)

    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return docs_page(app.openapi())

    return app


def refusal(meaning: str) -> dict[str, Any]:
    """Describe an error answer for the OpenAPI description."""
    return {"model": ErrorAnswer, "description": meaning}


# Handlers are coroutines: any other function would be called in a thread of its own, and many refused requests
# would start forty of them.
async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HttpError)
    return answer(error, request.method, request.headers)


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, MarsError)
    http_error = of_error(error)
    if http_error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("%s %s: %s", request.method, request.scope["path"], error)
    return answer(http_error, request.method, request.headers)


async def _invalid(request: Request, error: Exception) -> Response:
    """Name the first field that is wrong; a list of all would repeat the client's texts."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    message = first["msg"].removeprefix("Value error, ")
    http_error = HttpError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        f"{where}: {message}" if where else message,
        "see /docs for what a request looks like",
    )
    return answer(http_error, request.method, request.headers)


async def _other(request: Request, error: Exception) -> Response:
    """What the framework itself refuses: an unknown path, a wrong method."""
    assert isinstance(error, HTTPException)
    remedy = "see /docs for what can be asked for"
    http_error = HttpError(error.status_code, str(error.detail), remedy, error.headers)
    return answer(http_error, request.method, request.headers)
