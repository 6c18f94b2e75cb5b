"""A server on a real port, in a thread of the test's process."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mars_score.web.connections import GuardedConfig
from mars_score.web.server import _Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastapi import FastAPI


@contextmanager
def running(app: FastAPI) -> Iterator[str]:
    """Yield the address."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = GuardedConfig(app, log_level="warning", timeout_graceful_shutdown=1, loop="asyncio")
    server = _Server(config, app, "")
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    until(lambda: server.started)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join()
    listening.close()


def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)
