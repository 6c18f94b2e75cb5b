"""``mars-score serve``: what it refuses before a model is loaded."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from mars_score.cli.serve import serve
from mars_score.errors import ConfigError


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--host", "0.0.0.0"], "there is no token"),
        (["--token", "short"], "at least 8 signs"),
        (["--preset", "storey"], "Did you mean 'story'?"),
        (["--set", "q=2"], "q must lie above 0"),
    ],
)
def test_what_cannot_be_served(arguments: list[str], complaint: str) -> None:
    result = CliRunner().invoke(serve, arguments)
    assert isinstance(result.exception, ConfigError)
    assert complaint in str(result.exception)
    assert "torch" not in complaint


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    result = CliRunner().invoke(serve, [])
    assert "pip install 'mars-score[serve]'" in str(result.exception)


def test_the_token_may_stand_in_the_environment() -> None:
    result = CliRunner(env={"MARS_SCORE_TOKEN": "short"}).invoke(serve, [])
    assert "at least 8 signs" in str(result.exception)
