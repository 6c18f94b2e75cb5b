"""What a connection may take: time to send a request, time to read the answer, and a share of all connections.

uvicorn itself waits for ever for a request that never comes or never ends, so that a thousand silent connections
keep everybody else out. Here each part of a request has a deadline. And when there are too many connections, whoever
has not finished asking makes room, the oldest first, and of the address that has the most: a client that asks at once
gets its answer, whatever others leave open.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from starlette.datastructures import Headers
from uvicorn.protocols.http.h11_impl import H11Protocol

from mars_score.web.errors import HttpError, answer
from mars_score.web.security import HEADERS

if TYPE_CHECKING:
    import asyncio

LONGEST_HEAD = 1 << 15
"""Bytes of a request before its body: the address and all headers."""
LINGER = 5.0
"""Seconds that a client has to read why it was refused."""
_SPARE_FILES = 200
"""Files that are left for everything but connections."""


def _most_connections() -> int:
    """As many connections as the process may have open, within reason."""
    try:
        import resource
    except ImportError:
        return 400
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1000 if soft == resource.RLIM_INFINITY else max(16, min(1000, soft - _SPARE_FILES))


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """All bounds in one place; times are in seconds."""

    headers: float = 15.0
    """For the headers of a request, from the beginning of the connection or from the request's first byte."""
    body: float = 30.0
    """For the body of a request..."""
    rate: int = 64 << 10
    """...and a second more for so many bytes that have come..."""
    longest: float = 300.0
    """...but never more than this."""
    answer: float = 60.0
    """For a client that takes nothing of its answer."""
    connections: int = 0
    """At once; 0 is what the system allows, 1,000 at most."""
    address: int = 0
    """At once from one address; 0 is half of all. A proxy in front is one address."""

    @property
    def all_connections(self) -> int:
        """Connections at once."""
        return self.connections or _most_connections()

    @property
    def of_address(self) -> int:
        """Connections of one address at once."""
        return self.address or max(1, self.all_connections // 2)


class ConnectionPhase(Enum):
    """What a connection is about."""

    HEADERS = auto()
    BODY = auto()
    ANSWER = auto()
    QUIET = auto()
    """Answered, and kept for a further request; uvicorn ends it."""
    LEAVING = auto()
    """It sent no HTTP and got an answer. What it still sends is dropped: closing now would lose the answer."""


class Connections:
    """The connections of a server, by address."""

    def __init__(self, limits: ConnectionLimits, clock: Callable[[], float] = monotonic) -> None:
        self.limits, self.clock = limits, clock
        self._open: dict[str, set[Connection]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))

    def admit(self, new: Connection) -> None:
        """Take a connection. If there are too many, one that has not finished asking is ended, or else the new one."""
        of_address = self._open.setdefault(new.address, set())
        of_address.add(new)
        candidates = of_address
        if len(of_address) <= self.limits.of_address:
            if len(self) <= self.limits.all_connections:
                return
            candidates = max(self._open.values(), key=len)
        unfinished = [
            connection
            for connection in candidates
            if connection is not new and connection.phase is not ConnectionPhase.ANSWER
        ]
        # Uploads come last: they have sent a valid request.
        oldest = min(
            unfinished,
            key=lambda connection: (connection.phase is ConnectionPhase.BODY, connection.since),
            default=new,
        )
        self.forget(oldest)
        oldest.end(
            HttpError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "there are too many connections",
                "try again in 5 s, and keep fewer connections open",
                {"Retry-After": "5"},
            )
        )

    def forget(self, connection: Connection) -> None:
        """Let go of a connection."""
        of_address = self._open.get(connection.address, set())
        of_address.discard(connection)
        if not of_address:
            self._open.pop(connection.address, None)

    def end_late(self) -> None:
        """End the connections whose time is over."""
        now = self.clock()
        for of_address in list(self._open.values()):
            for connection in list(of_address):
                connection.check(now)


class GuardedConfig(uvicorn.Config):
    """The settings of a server whose connections are bounded."""

    def __init__(self, app: Any, limits: ConnectionLimits | None = None, **settings: Any) -> None:
        super().__init__(
            app, http=Connection, ws="none", h11_max_incomplete_event_size=LONGEST_HEAD, **settings
        )
        self.open_connections = Connections(limits or ConnectionLimits())


class Connection(H11Protocol):
    """One connection; it knows how long it has been waited for."""

    def __init__(self, config: GuardedConfig, *args: Any, **settings: Any) -> None:
        super().__init__(config, *args, **settings)
        self.register = config.open_connections
        self.address = ""
        self._begin(ConnectionPhase.HEADERS)
        self._unsent, self._moved = 0, self.since

    def _begin(self, phase: ConnectionPhase) -> None:
        self.phase, self.since, self._received = phase, self.register.clock(), 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.register.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        self.register.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, and see what is waited for now."""
        # In pieces, as h11 looks at the length of a head only where it is not complete.
        for start in range(0, len(data), LONGEST_HEAD):
            if self.transport.is_closing() or self.phase is ConnectionPhase.LEAVING:
                return
            if self.phase is ConnectionPhase.QUIET:
                self._begin(ConnectionPhase.HEADERS)
            piece = data[start : start + LONGEST_HEAD]
            self._received += len(piece)
            super().data_received(piece)
            self._follow()

    def on_response_complete(self) -> None:
        """See what is waited for after an answer: nothing, but for the rest of a body that was refused."""
        super().on_response_complete()
        self._follow()
        if self.phase is ConnectionPhase.HEADERS or self.conn.their_state is h11.IDLE:
            self._begin(ConnectionPhase.QUIET)

    def _follow(self) -> None:
        state = self.conn.their_state
        if self.phase is ConnectionPhase.LEAVING:
            return
        if state is h11.SEND_BODY:
            phase = ConnectionPhase.BODY
        elif state is h11.IDLE:
            phase = (
                self.phase
                if self.phase in (ConnectionPhase.HEADERS, ConnectionPhase.QUIET)
                else ConnectionPhase.HEADERS
            )
        else:
            phase = ConnectionPhase.ANSWER
        if phase is not self.phase:
            self._begin(phase)

    def check(self, now: float) -> None:
        """End the connection if its time is over."""
        limits = self.register.limits
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or unsent != self._unsent:
            self._unsent, self._moved = unsent, now
        elif now - self._moved > limits.answer:
            self.transport.abort()  # to close would be to wait until all is sent
            return
        waited = now - self.since
        if self.phase is ConnectionPhase.LEAVING and waited > LINGER:
            self.transport.abort()
        elif self.phase is ConnectionPhase.HEADERS and waited > limits.headers:
            self.end(_late("headers of the request"))
        elif self.phase is ConnectionPhase.BODY and waited > min(
            limits.body + self._received / limits.rate, limits.longest
        ):
            self.end(_late("body of the request"))

    def end(self, error: HttpError) -> None:
        """Say why, unless an answer is on its way, and hang up."""
        if self.transport.is_closing():
            return
        answered = self.phase is ConnectionPhase.BODY and self.cycle.response_started
        if not answered and self.phase is not ConnectionPhase.LEAVING:
            self.transport.write(_in_full(error))
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, as every other mistake is refused."""
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        self.transport.write(
            _in_full(HttpError(status, f"this is no HTTP request: {error or msg}", "see /docs"))
        )
        self.transport.write_eof()
        self._begin(ConnectionPhase.LEAVING)


def _late(what: str) -> HttpError:
    return HttpError(
        HTTPStatus.REQUEST_TIMEOUT, f"the {what} took too long", "send the request again, without a pause"
    )


def _in_full(error: HttpError) -> bytes:
    """An answer to the last byte, where there is no request to answer."""
    error.headers["Connection"] = "close"
    response = answer(error, "POST", Headers())
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    head = [f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}".encode()]
    head += [name + b": " + value for name, value in response.raw_headers]
    return b"\r\n".join([*head, b"", bytes(response.body)])
