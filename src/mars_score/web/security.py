"""Who may ask, how much, and what every answer carries: host, origin, token, body limits, headers."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse

from mars_score.web.errors import HttpError, HttpMiddleware, answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from mars_score.web.server import GracefulStop


LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def hosts_for(host: str) -> tuple[str, ...]:
    """Return the names that a request to this host may use.

    On the loopback these are few: a page of the web whose name is made to point here (DNS rebinding) is refused.
    Elsewhere any name may lead here; there a token is needed, which such a page does not have.
    """
    if not is_loopback(host):
        return ()
    return tuple(dict.fromkeys([*LOOPBACK, f"[{host}]" if ":" in host and "[" not in host else host]))


def name_of(host_header: str) -> str:
    """Return the name in a Host header, without its port."""
    name, colon, port = host_header.rpartition(":")
    return (name if colon and (port.isdecimal() or not port) else host_header).lower()


SAFE = ("GET", "HEAD", "OPTIONS")
OPEN = ("/healthz",)
"""Paths that need no token: whatever watches a server has none."""


class Gate(HttpMiddleware):
    """Refuses a request before anything is read of it."""

    def __init__(
        self, app: ASGIApp, token: str | None, hosts: tuple[str, ...], stopping: GracefulStop
    ) -> None:
        """Wrap an application. No hosts mean any host."""
        super().__init__(app)
        self.hosts, self.stopping = hosts, stopping
        self.token = token.encode() if token else None
        # The cookie is not the token, which could then be read from the browser's files. Its name tells servers
        # on several ports apart, for which a browser keeps one set of cookies.
        self.cookie = hashlib.sha256(b"mars-score cookie\0" + self.token).hexdigest() if self.token else ""
        self.cookie_name = f"mars_score_{self.cookie[:8]}"

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        headers, method = Headers(scope=scope), scope["method"]
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token")
        try:
            self._check_host(headers)
            self._check_origin(headers, method)
            if self.token is not None and method == "GET" and given is not None:
                self._check_token(given)
                await self._set_cookie(scope)(scope, receive, send)
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

    def _set_cookie(self, scope: Scope) -> RedirectResponse:
        """Set the cookie for a link with the token, and take the token out of the address."""
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


HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""A page brings a policy of its own, which stays."""


class SecurityHeaders(HttpMiddleware):
    """Adds the headers that an answer does not have yet."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers)


PATIENCE = 8
"""A body of up to this many times the limit is read to its end and dropped, so that the client gets to read the
answer; a client that still sends after that is cut off."""
SMALL = 1 << 16
"""Bytes of a body that there is always room for, so that large ones keep nobody else out."""
_MOST_DIGITS = 18


class BodyLimit(HttpMiddleware):
    """Refuses larger bodies with 413, and with 503 those that there is no room for now.

    What lies below it sees whole bodies only. A body counts until its request is answered.
    """

    def __init__(self, app: ASGIApp, limit: int, budget: int) -> None:
        """Wrap an application; the limit is that of one body and the budget that of all, in bytes."""
        super().__init__(app)
        self.limit, self.budget = limit, budget
        self.held = 0

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        error = None
        if length.isdecimal() and (len(length) > _MOST_DIGITS or int(length) > PATIENCE * self.limit):
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
                    error = error or self._too_many_bodies()
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
    def _too_many_bodies() -> HttpError:
        return HttpError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "the server is reading as many large requests as it has memory for",
            "try again in 10 s, or send fewer rows at a time",
            {"Retry-After": "10", "Connection": "close"},
        )
