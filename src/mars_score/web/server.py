"""Running a server until it is stopped; what has been started is finished."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click
import uvicorn

from mars_score.errors import ConfigError
from mars_score.web.connections import ConnectionLimits, GuardedConfig
from mars_score.web.errors import log, stopping
from mars_score.web.security import is_loopback

if TYPE_CHECKING:
    from types import FrameType

    from fastapi import FastAPI


class GracefulStop:
    """Whether the server is about to stop, and what is done before it does."""

    def __init__(self) -> None:
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
            raise stopping(Connection="close")


GRACE = 30
"""Seconds for what has been started when the server is stopped."""
CLOSING = 5
"""Seconds for the last answers on their way to their clients."""
KEPT = 30
"""Seconds that a connection is kept for a further request."""
BACKLOG = 512
FEWEST_SIGNS = 8
LAST_PORT = 65535


def serve(
    app: FastAPI, *, host: str, port: int, token: str | None, limits: ConnectionLimits | None = None
) -> None:
    """Serve until SIGINT or SIGTERM; then finish what was started, in bounded time. A second signal ends it at once.

    The address is printed when requests are answered; port 0 is any free port. The limits are of connections.
    """
    check_address(host, token)
    listening = _listen(host, port)
    config = GuardedConfig(
        app,
        limits,
        log_level="warning",
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=CLOSING,
        timeout_keep_alive=KEPT,
    )
    with listening:
        _Server(config, app, _address(listening, token)).run(sockets=[listening])


def check_address(host: str, token: str | None) -> None:
    """Refuse an open address without a token, and a token that is easily guessed."""
    if token is None and not is_loopback(host):
        raise ConfigError(
            f"--host {host}: other machines can reach this address, and there is no token\n"
            "  remedy: add --token with a long random text, or leave out --host"
        )
    if token is not None and (len(token) < FEWEST_SIGNS or not token.isascii() or not token.isprintable()):
        raise ConfigError(
            f"the token must have at least {FEWEST_SIGNS} signs, all of them ASCII\n"
            "  remedy: python -c 'import secrets; print(secrets.token_urlsafe())'"
        )


class _Server(uvicorn.Server):
    """Finishes what was started while it still answers, and says where it is."""

    def __init__(self, config: GuardedConfig, app: FastAPI, address: str) -> None:
        super().__init__(config)
        self._app, self._address = app, address
        self._connections = config.open_connections
        self._signals = 0
        self._finishing: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say where the server is, once it is there."""
        await super().startup(sockets)
        if self.started:
            click.echo(f"listening on {self._address}\nCtrl-C stops", err=True)

    async def on_tick(self, counter: int) -> bool:
        """Look for signals, which are only counted where they arrive, as any line may be running then; and for clients
        that are late."""
        if self._signals and self._finishing is None:
            click.echo(
                "stopping: what has been started is finished first; Ctrl-C again stops at once", err=True
            )
            self._finishing = asyncio.create_task(self._finish())
        self._connections.end_late()
        return await super().on_tick(counter)

    async def _finish(self) -> None:
        try:
            await asyncio.wait_for(self._app.state.stopping.finish(), GRACE)
        except asyncio.TimeoutError:
            log.warning("some work was not finished within %s seconds and is given up", GRACE)
        finally:
            self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Count a signal."""
        self._signals += 1
        if self._signals > 1:
            self.should_exit = self.force_exit = True


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= LAST_PORT:
        raise ConfigError(f"--port {port}: expected a number from 0 to {LAST_PORT}")
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    try:
        return socket.create_server((name, port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason, remedy = "another program uses this port", "choose another --port; 0 takes any free one"
        elif error.errno == errno.EACCES:
            reason, remedy = "this port is reserved for the system", "choose a --port from 1024 to 65535"
        else:
            reason, remedy = (
                (error.strerror or str(error)),
                "choose another --host; 127.0.0.1 is this machine",
            )
        raise ConfigError(f"cannot listen on {host}:{port}: {reason}\n  remedy: {remedy}") from error


def _address(listening: socket.socket, token: str | None) -> str:
    host, port = listening.getsockname()[:2]
    address = f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
    return f"{address}?token=..., with your token" if token else address
