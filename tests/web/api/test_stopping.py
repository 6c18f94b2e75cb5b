"""Signals, in a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.web.api.running import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROW = {"references": ["r"], "candidate": "c"}


class Server:
    """A process, and what it says."""

    def __init__(self, gate: Path, port: int = 0) -> None:
        self.gate = gate
        gate.touch()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.web.api.slow_server", str(port), str(gate)],
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self.said: list[str] = []
        assert self.process.stderr is not None
        self._reader = threading.Thread(target=self._read, args=[self.process.stderr])
        self._reader.start()
        until(lambda: bool(self.port))

    def _read(self, stream: Iterator[str]) -> None:
        for line in stream:
            self.said.append(line.strip())

    @property
    def port(self) -> int:
        found = re.search(r"listening on http://127\.0\.0\.1:(\d+)/", "\n".join(self.said))
        return int(found[1]) if found else 0

    def ask(self, answers: list[int | str], path: str = "/v1/score", **row: str) -> threading.Thread:
        def go() -> None:
            try:
                body = {"items": [ROW | row], "preset": row.pop("preset", None)}
                body["items"][0].pop("preset", None)  # type: ignore[index,union-attr]
                answers.append(httpx.post(self.url(path), json=body, timeout=30).status_code)
            except httpx.HTTPError as error:
                answers.append(type(error).__name__)

        thread = threading.Thread(target=go)
        thread.start()
        return thread

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def health(self) -> dict[str, object]:
        found: dict[str, object] = httpx.get(self.url("/healthz")).json()
        return found

    def close(self) -> None:
        self.gate.unlink(missing_ok=True)
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "gate")
    yield server
    server.close()


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_what_was_started_is_finished(server: Server, sign: signal.Signals) -> None:
    started: list[int | str] = []
    waiting: list[int | str] = []
    threads = [server.ask(started)]
    until(lambda: "working" in server.said)
    threads.append(server.ask(waiting, preset="paper-formula"))
    until(lambda: server.health()["requests"] == 2)
    server.process.send_signal(sign)
    until(lambda: waiting == [503])
    late: list[int | str] = []
    threads.append(server.ask(late))
    until(lambda: late == [503])
    assert server.health()["status"] == "stopping"
    assert (started, server.process.poll()) == ([], None)
    server.gate.unlink()
    for thread in threads:
        thread.join()
    assert started == [200]
    assert server.process.wait(20) == 0
    assert not any("Traceback" in line for line in server.said)


def test_a_job_that_was_started_can_be_fetched(server: Server) -> None:
    job = httpx.post(server.url("/v1/jobs"), json={"items": [ROW]}).json()["id"]
    with httpx.stream("GET", server.url(f"/v1/jobs/{job}/events"), timeout=30) as events:
        lines = events.iter_lines()
        next(lines)
        until(lambda: "working" in server.said)
        server.process.terminate()
        until(lambda: any("stopping" in line for line in server.said))
        server.gate.unlink()
        assert "event: done" in list(lines)
    assert httpx.get(server.url(f"/v1/jobs/{job}/result")).status_code == 200
    assert server.process.wait(20) == 0


def test_a_second_signal_does_not_wait(server: Server) -> None:
    answers: list[int | str] = []
    thread = server.ask(answers)
    until(lambda: "working" in server.said)
    server.process.send_signal(signal.SIGINT)
    until(lambda: any("stopping" in line for line in server.said))
    server.process.send_signal(signal.SIGINT)
    server.process.wait(20)
    thread.join()
    assert answers != [200]


def test_after_a_kill_the_port_is_free_again(server: Server, tmp_path: Path) -> None:
    answers: list[int | str] = []
    thread = server.ask(answers)
    until(lambda: "working" in server.said)
    server.process.kill()
    thread.join()
    assert answers in (["RemoteProtocolError"], ["ReadError"])
    other = Server(tmp_path / "other", server.port)
    other.gate.unlink()
    assert httpx.post(other.url("/v1/score"), json={"items": [ROW]}).status_code == 200
    other.close()
