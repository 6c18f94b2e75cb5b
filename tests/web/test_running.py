"""Where a server listens, and what it refuses to do."""

from __future__ import annotations

import socket
import sys

import pytest

from mars_score.errors import ConfigError
from mars_score.web import server
from mars_score.web.app import check_extra, make_app

APP = make_app("Sample", "For tests.", token=None, hosts=(), limit=100)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "scores.example"])
def test_others_are_not_let_in_without_a_token(host: str) -> None:
    with pytest.raises(ConfigError, match="there is no token"):
        server.serve(APP, host=host, port=0, token=None)


@pytest.mark.parametrize("token", ["short", "", "with\nline break", "täglich-neu"])
def test_a_poor_token(token: str) -> None:
    with pytest.raises(ConfigError, match="at least 8 signs"):
        server.check_address("127.0.0.1", token)


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match="another program uses this port"):
            server.serve(APP, host="127.0.0.1", port=port, token=None)


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70000), ("nowhere.invalid", 0)])
def test_an_address_that_is_none(host: str, port: int) -> None:
    with pytest.raises(ConfigError):
        server.serve(APP, host=host, port=port, token="long-enough")


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    check_extra("serve")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ConfigError, match=r"needs uvicorn\n.*pip install 'mars-score\[serve\]'"):
        check_extra("serve")
