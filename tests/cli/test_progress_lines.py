"""What a log hears of long work."""

from __future__ import annotations

import pytest

from mars_score.cli.reporting import EVERY, VARIABLE, ProgressLines, bars
from mars_score.errors import ConfigError


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests hear nothing, however slow the machine is."""
    monkeypatch.delenv(VARIABLE, raising=False)


def test_the_environment_says_how_often(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for text, expected in (("0", 0), ("20", 3), ("", 2)):
        monkeypatch.setenv(VARIABLE, text)
        clock = Clock()
        progress = ProgressLines(9, "rows", clock)
        for _ in range(60):
            clock.now += 1.0
            progress.stage("encoding", 1, 2)
        assert len(capsys.readouterr().err.splitlines()) == expected
    monkeypatch.setenv(VARIABLE, "often")
    with pytest.raises(ConfigError, match="MARS_SCORE_PROGRESS='often': expected seconds"):
        ProgressLines(9, "rows")


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with bars(3) as show:
        show.stage("infilling", 1, 2)
        show.rows(3)
    assert capsys.readouterr().err == ""


def test_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = ProgressLines(4000, "scores", clock)
    for step in range(60):
        clock.now += 1.0
        lines.stage("infilling", step, 60)
        if step == 40:
            lines.rows(1000)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "scores: 0 of 4,000; infilling 29 of 60"
    assert second == "scores: 1,000 of 4,000, 16.7/s, about 3 min left; infilling 59 of 60"


def test_more_rows_than_were_expected_leave_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = ProgressLines(10, "rows", clock)
    clock.now += EVERY
    lines.rows(12)
    assert capsys.readouterr().err == "rows: 12 of 10, 0.4/s, about 0.0 s left; loading\n"


def test_no_time_is_promised_where_one_is_not_like_another(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = ProgressLines(10, "scores", clock, alike=False)
    clock.now += EVERY
    lines.rows(5)
    assert capsys.readouterr().err == "scores: 5 of 10; loading\n"
