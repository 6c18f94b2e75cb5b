"""A client that goes away is dropped from the queue."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest

from tests.web.api.running import running, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI

    from tests.web.api.fake import FakeService


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    with running(app) as address:
        yield address


def send(address: str, candidate: str) -> socket.socket:
    row = {"id": candidate, "references": ["r"], "candidate": candidate}
    body = json.dumps({"items": [row]}).encode()
    place = urlsplit(address)
    connection = socket.create_connection((place.hostname, place.port or 0))
    head = ["POST /v1/score HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    connection.sendall("\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body)
    return connection


def waiting(address: str) -> int:
    return int(httpx.get(f"{address}/healthz").json()["requests"])


def test_rows_of_a_client_that_has_gone_are_not_computed(address: str, service: FakeService) -> None:
    service.open.clear()
    first = send(address, "first")
    until(service.begun.is_set)
    gone, stays = send(address, "gone"), send(address, "stays")
    until(lambda: waiting(address) == 3)
    gone.close()
    until(lambda: waiting(address) == 2)
    service.open.set()
    assert b"200 OK" in first.recv(1000)
    assert b"200 OK" in stays.recv(1000)
    assert service.batches == [["first"], ["stays"]]
    first.close()
    stays.close()


def test_work_for_a_client_that_has_gone_is_broken_off(address: str, service: FakeService) -> None:
    service.open.clear()
    gone = send(address, "gone")
    until(service.begun.is_set)
    gone.close()
    until(lambda: waiting(address) == 0)
    service.open.set()
    with send(address, "next") as connection:
        assert b"200 OK" in connection.recv(1000)


def test_a_body_that_is_too_large_is_answered_over_a_real_connection(address: str) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(40):
            yield b"x" * 1000

    for content in (b"x" * 40_000, chunks()):
        assert httpx.post(f"{address}/v1/score", content=content).status_code == 413


def test_whoever_follows_a_job_may_leave(address: str, service: FakeService, app: FastAPI) -> None:
    service.open.clear()
    job = httpx.post(f"{address}/v1/jobs", json={"items": [{"references": ["r"], "candidate": "c"}]}).json()[
        "id"
    ]
    with httpx.stream("GET", f"{address}/v1/jobs/{job}/events") as answer:
        lines = answer.iter_lines()  # kept: its end would close the connection
        assert next(lines) == "event: progress"
        (found,) = app.state.server.jobs
        assert len(found.watchers) == 1
    service.open.set()  # the job goes on without them
    until(lambda: httpx.get(f"{address}/v1/jobs/{job}/result").status_code == 200)
    until(lambda: not found.watchers)
