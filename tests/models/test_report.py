"""What the user sees while a model is fetched."""

from __future__ import annotations

import pytest

from mars_score.models.store import PlainReport, Report, TerminalReport, default_report, human_size


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 B"), (999, "999 B"), (1_400, "1 kB"), (92_871_040, "93 MB"), (1_105_961_045, "1.1 GB")],
)
def test_sizes(size: int, shown: str) -> None:
    assert human_size(size) == shown


@pytest.mark.parametrize("report", [PlainReport(), TerminalReport()])
def test_everything_goes_to_standard_error(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    with report.task("downloading it", 2_000_000) as advance:
        advance(1_000_000)
    with report.task("converting it"):
        pass
    report.say("it is ready")
    out, err = capsys.readouterr()
    assert out == ""
    assert all(text in err for text in ("downloading it", "2", "MB", "converting it", "it is ready"))


def test_plain_lines_when_not_on_a_terminal() -> None:
    assert isinstance(default_report(), PlainReport)
