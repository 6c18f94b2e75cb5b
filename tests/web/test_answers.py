"""What every answer carries, and what a client is told when something is wrong."""

from __future__ import annotations

import inspect
import logging
import re
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from mars_score.errors import InputError, MarsError, ModelError
from mars_score.io.html import csp_hash
from mars_score.web.app import make_app
from mars_score.web.errors import HttpError
from tests.study.report.test_page import PAYLOADS

if TYPE_CHECKING:
    from collections.abc import Iterator

HTML = {"Accept": "text/html,application/xhtml+xml"}
LIMIT = 1000


def sample_client() -> TestClient:
    app = make_app("Sample", "For tests.", token=None, hosts=(), limit=LIMIT)

    @app.post("/echo")
    async def echo(body: dict[str, Any]) -> dict[str, Any]:
        return body

    @app.get("/fail/{kind}")
    async def fail(kind: str, text: str = "") -> None:
        raise {
            "code": ZeroDivisionError("secret"),
            "input": InputError(f"bad {text}", path="rows.csv", line=3, remedy="mend it"),
            "model": ModelError("no model"),
            "mars": MarsError("odd"),
            "http": HttpError(409, "not yet", "wait", {"Retry-After": "3"}),
        }[kind]

    return TestClient(app)


@pytest.fixture
def client() -> TestClient:
    return sample_client()


@pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/nowhere", "/fail/code", "/fail/input"])
def test_every_answer_is_guarded(client: TestClient, path: str) -> None:
    for headers in ({}, HTML):
        answer = client.get(path, headers=headers)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("kind", "status", "message", "remedy"),
    [
        ("input", 422, "rows.csv:3: bad ", "mend it"),
        ("model", 503, "no model", ""),
        ("mars", 500, "odd", ""),
        ("http", 409, "not yet", "wait"),
    ],
)
def test_errors_of_ours(client: TestClient, kind: str, status: int, message: str, remedy: str) -> None:
    answer = client.get(f"/fail/{kind}")
    assert answer.status_code == status
    assert answer.json() == {"error": {"message": message, "remedy": remedy}}


def test_a_mistake_is_logged_and_not_shown(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        answer = client.get("/fail/code")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert "secret" in caplog.text


def test_unknown_paths_and_methods(client: TestClient) -> None:
    assert client.get("/nowhere").json()["error"]["remedy"]
    answer = client.put("/echo")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_wrong_body_names_the_field(client: TestClient) -> None:
    answer = client.post("/echo", content="{", headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "JSON" in answer.json()["error"]["message"]


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_a_page_of_an_error_runs_nothing(client: TestClient, payload: str) -> None:
    text = payload.encode("utf-8", "replace").decode()
    page = client.get("/fail/input", params={"text": text}, headers=HTML)
    assert (page.status_code, page.headers["content-type"]) == (422, "text/html; charset=utf-8")
    outside = re.sub("<(style|script)>.*?</\\1>", "", page.text, flags=re.DOTALL)
    assert "<script>" not in outside
    assert not re.search(r"<(img|svg|iframe|a href)", outside)
    assert client.get("/fail/input", params={"text": text}).json()["error"]["message"]


def test_a_message_with_half_a_character_can_be_sent() -> None:
    app = make_app("Sample", "For tests.", token=None, hosts=(), limit=LIMIT)

    @app.get("/odd")
    async def odd() -> None:
        raise HttpError(422, "\ud800\x00", "\udfff")

    assert TestClient(app).get("/odd").status_code == 422
    assert TestClient(app).get("/odd", headers=HTML).status_code == 422


def test_the_docs_are_a_page_of_ours(client: TestClient) -> None:
    page = client.get("/docs")
    assert "POST /echo" in page.text
    assert not re.search(r"https?://", page.text)
    style = re.findall("<style>(.*?)</style>", page.text, re.DOTALL)
    script = re.findall("<script>(.*?)</script>", page.text, re.DOTALL)
    policy = page.headers["content-security-policy"]
    assert csp_hash(style[0]) in policy
    assert csp_hash(script[0]) in policy


@pytest.mark.parametrize("size", [LIMIT + 1, 3 * LIMIT, 20 * LIMIT])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large(client: TestClient, size: int, chunked: bool) -> None:
    def chunks() -> Iterator[bytes]:
        for start in range(0, size, 100):
            yield b"x" * min(100, size - start)

    answer = client.post("/echo", content=chunks() if chunked else b"x" * size)
    assert answer.status_code == 413
    assert answer.json()["error"]["message"] == "the request is larger than 1,000 bytes"


def test_a_body_of_just_the_right_size(client: TestClient) -> None:
    body = b'{"a":"' + b"x" * (LIMIT - 8) + b'"}'
    answer = client.post("/echo", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    assert len(answer.json()["a"]) == LIMIT - 8


def test_a_refused_crowd_needs_no_threads(client: TestClient) -> None:
    """A handler that is no coroutine is called in a thread of a pool, and each thread has memory of its own."""
    app = client.app
    assert isinstance(app, FastAPI)
    ours = {
        kind: handler for kind, handler in app.exception_handlers.items() if kind in (HttpError, MarsError)
    }
    assert len(ours) == 2
    assert all(map(inspect.iscoroutinefunction, ours.values()))
