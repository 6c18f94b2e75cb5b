"""Who may ask: the right name, the right page, the right token."""

from __future__ import annotations

import hashlib
import hmac
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse

from mars_score.http.errors import HttpError, answer
from mars_score.http.hosts import name_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from mars_score.http.stopping import Stopping

SAFE = ("GET", "HEAD", "OPTIONS")
OPEN = ("/healthz",)
"""Paths that need no token: whatever watches a server has none."""


class Gate:
    """Refuses a request before anything is read of it."""

    def __init__(self, app: ASGIApp, token: str | None, hosts: tuple[str, ...], stopping: Stopping) -> None:
        """Wrap an application. No hosts mean any host."""
        self.app, self.hosts, self.stopping = app, hosts, stopping
        self.token = token.encode() if token else None
        # The cookie is not the token, which could then be read from the browser's files. Its name tells servers
        # on several ports apart, for which a browser keeps one set of cookies.
        self.cookie = hashlib.sha256(b"mars-score cookie\0" + self.token).hexdigest() if self.token else ""
        self.cookie_name = f"mars_score_{self.cookie[:8]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, method = Headers(scope=scope), scope["method"]
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token")
        try:
            self._check_host(headers)
            self._check_origin(headers, method)
            if self.token is not None and method == "GET" and given is not None:
                self._check_token(given)
                await self._welcome(scope)(scope, receive, send)
                return
            if self.token is not None and scope["path"] not in OPEN:
                self._check_known(headers)
            if method not in SAFE:
                self.stopping.refuse_new()
        except HttpError as error:
            await answer(error, method, headers)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        if self.hosts and name_of(headers.get("host", "")) not in self.hosts:
            raise HttpError(
                HTTPStatus.FORBIDDEN,
                "this server does not answer to that name",
                f"open it as http://{self.hosts[0]} with its port",
            )

    @staticmethod
    def _check_origin(headers: Headers, method: str) -> None:
        """Refuse what the page of another site sends; programs name no origin."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        try:
            foreign = (
                origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
            )
        except ValueError as error:
            raise HttpError(
                HTTPStatus.BAD_REQUEST, f"the header Origin is no address: {error}", "leave it out"
            ) from error
        if method not in SAFE and (foreign or site not in ("same-origin", "none")):
            raise HttpError(
                HTTPStatus.FORBIDDEN,
                "the request comes from a page of another site",
                "send it from this server's own page, or from a program",
            )

    def _check_known(self, headers: Headers) -> None:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            self._check_token(bearer.strip())
            return
        shown = cookie_parser(headers.get("cookie", "")).get(self.cookie_name, "")
        if not hmac.compare_digest(shown.encode(), self.cookie.encode()):
            raise _unknown()

    def _check_token(self, given: str) -> None:
        if not hmac.compare_digest(given.encode(errors="surrogateescape"), self.token or b""):
            raise _unknown()

    def _welcome(self, scope: Scope) -> RedirectResponse:
        """Keep whoever came by a link with the token, and take the token out of the address."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # One slash: two would lead to another server.
        path = "/" + scope["path"].lstrip("/\\")
        response = RedirectResponse(f"{path}?{rest}" if rest else path, HTTPStatus.SEE_OTHER)
        # Lax, not strict: else a link in a mail would set the cookie and then not send it.
        response.set_cookie(self.cookie_name, self.cookie, httponly=True, samesite="lax", path="/")
        return response


def _unknown() -> HttpError:
    return HttpError(
        HTTPStatus.UNAUTHORIZED,
        "this server needs a token, and the request has none or a wrong one",
        "open the link that the server printed, or send the header Authorization: Bearer TOKEN",
        {"WWW-Authenticate": "Bearer"},
    )
