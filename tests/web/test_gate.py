"""Who gets an answer: names, origins, tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from mars_score.web.app import make_app
from mars_score.web.security import hosts_for, is_loopback, name_of

if TYPE_CHECKING:
    from fastapi import FastAPI

TOKEN = "correct-horse-battery"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def sample_app(token: str | None = None, hosts: tuple[str, ...] = ("localhost",)) -> FastAPI:
    app = make_app("Sample", "For tests.", token=token, hosts=hosts, limit=1000)

    @app.get("/healthz")
    @app.get("/page")
    @app.post("/change")
    def change() -> dict[str, bool]:
        return {"done": True}

    return app


def client_of(token: str | None = None, hosts: tuple[str, ...] = ("localhost",)) -> TestClient:
    return TestClient(sample_app(token, hosts), base_url="http://localhost:8000", follow_redirects=False)


@pytest.mark.parametrize("host", ["localhost:8000", "localhost", "LOCALHOST:1"])
def test_known_names(host: str) -> None:
    assert client_of().get("/page", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io:8000", ""])
def test_a_name_that_is_made_to_point_here_is_refused(host: str) -> None:
    answer = client_of().get("/page", headers={"Host": host})
    assert answer.status_code == 403
    assert "name" in answer.json()["error"]["message"]


def test_without_a_list_any_name_will_do() -> None:
    assert client_of(hosts=()).get("/page", headers={"Host": "scores.example"}).status_code == 200


def test_which_names_belong_to_a_host() -> None:
    assert set(hosts_for("127.0.0.1")) == {"127.0.0.1", "localhost", "[::1]"}
    assert "127.0.0.5" in hosts_for("127.0.0.5")
    assert hosts_for("0.0.0.0") == hosts_for("scores.example") == ()
    assert all(map(is_loopback, ("localhost", "127.9.9.9", "::1", "[::1]")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "localhost.example")))
    assert [name_of(text) for text in ("a:80", "[::1]:80", "[::1]", "B", "")] == [
        "a",
        "[::1]",
        "[::1]",
        "b",
        "",
    ]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_other_sites_change_nothing(headers: dict[str, str]) -> None:
    assert client_of().post("/change", headers=headers).status_code == 403
    assert client_of().get("/page", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "http://localhost:8000"}, {"Sec-Fetch-Site": "same-origin"}], ids=str
)
def test_the_own_page_and_programs_do(headers: dict[str, str]) -> None:
    assert client_of().post("/change", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer \xff"},
        {"Cookie": f"mars_score={TOKEN}"},
    ],
    ids=str,
)
def test_without_the_token_there_is_no_answer(headers: dict[str, str]) -> None:
    raw = {name: value.encode("latin-1") for name, value in headers.items()}
    for path in ("/page", "/docs", "/openapi.json", "/nowhere"):
        answer = client_of(TOKEN).get(path, headers=raw)  # type: ignore[arg-type]
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    assert client_of(TOKEN).post("/change").status_code == 401


def test_the_token_opens() -> None:
    assert client_of(TOKEN).get("/page", headers=BEARER).status_code == 200
    assert client_of(TOKEN).post("/change", headers=BEARER).status_code == 200


def test_a_watchdog_needs_no_token() -> None:
    assert client_of(TOKEN).get("/healthz").status_code == 200


def test_a_link_with_the_token_becomes_a_cookie() -> None:
    client = client_of(TOKEN)
    answer = client.get(f"/page?a=1&token={TOKEN}&b=%26")
    assert (answer.status_code, answer.headers["location"]) == (303, "/page?a=1&b=%26")
    kept = answer.headers["set-cookie"]
    assert TOKEN not in kept
    assert all(word in kept for word in ("HttpOnly", "SameSite=lax", "Path=/"))
    assert client.get("/page").status_code == 200
    assert client_of(TOKEN).get("/page?token=wrong").status_code == 401


def test_the_redirect_stays_on_this_server() -> None:
    client = client_of(TOKEN)
    for path in ("//evil.example/", "/\\evil.example"):
        location = client.request("GET", f"http://localhost:8000{path}?token={TOKEN}").headers["location"]
        assert not location.startswith(("//", "/\\"))


def test_the_description_says_that_a_token_is_needed() -> None:
    assert "HTTPBearer" in str(client_of(TOKEN).get("/openapi.json", headers=BEARER).json()["components"])
    assert "HTTPBearer" not in client_of().get("/openapi.json").text
