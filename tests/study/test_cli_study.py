"""`mars-score study` and `rating-sheet` from beginning to end, with metrics that need no model."""

from __future__ import annotations

import csv
import json
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from mars_score.cli import rating_sheet as sheet_command
from mars_score.cli import study as study_command
from mars_score.errors import ConfigError, InputError
from mars_score.study import scoring
from mars_score.study.attacks.robustness import ATTACKS
from mars_score.study.plan import first_items
from mars_score.study.report import page
from mars_score.study.results_file import read_results
from tests.study.toy_mars import toy_scorer
from tests.study.toys import Counting, dataset, register, write_rows

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

METRICS = "rougeL,bleu1,candidate_length,random"
DATA = dataset(6)


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(write_rows(tmp_path / "toy.jsonl", DATA))


def run(*arguments: str, metrics: str = METRICS) -> Result:
    options = ["--metrics", metrics, "--no-report", "--draws", "20"]
    return CliRunner().invoke(
        study_command.study, [*arguments, *options], catch_exceptions=False, standalone_mode=False
    )


def test_from_beginning_to_end(data: str, folder: Path) -> None:
    done = run(data, "--out", str(folder))
    assert "18 rows, 4 metrics:" in done.stderr
    assert f"results: {folder / 'results.json'}" in done.stderr
    result = read_results(folder)
    assert [metric.name for metric in result.metrics] == METRICS.split(",")
    assert [dataset.name for dataset in result.datasets] == ["toy"]
    assert len(result.datasets[0].attacks) == 4 * len(ATTACKS)
    assert result.draws == 20
    first = (folder / "results.json").read_bytes()
    again = run(data, "--out", str(folder))
    assert "all scores are known" in again.stderr
    assert (folder / "results.json").read_bytes() == first


def test_the_report_is_written(data: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, Path]] = []
    monkeypatch.setattr(
        page, "write_report", lambda study, where: written.append((study.datasets[0].name, where))
    )
    done = CliRunner().invoke(
        study_command.study,
        [data, "--out", str(folder), "--metrics", "random", "--attacks", "none", "--draws", "5"],
        catch_exceptions=False,
        standalone_mode=False,
    )
    assert written == [("toy", folder)]
    assert f"report: {folder / 'report.html'}" in done.stderr


def test_several_data_sets_systems_and_limit(data: str, folder: Path, tmp_path: Path) -> None:
    other = dataset(4, "other")
    rows = tuple(replace(row, system=f"my {row.system}") for row in other)
    second = str(write_rows(tmp_path / "other.jsonl", replace(other, rows=rows)))
    run(
        data, second, "--out", str(folder), "--systems", "short, long", "--limit", "7", "--attacks", "reorder"
    )
    first_dataset, two = read_results(folder).datasets
    assert first_dataset.info.systems == ("short", "long")
    assert (first_dataset.info.items, first_dataset.info.rows) == (3, 6)
    assert two.info.systems == ("my short", "my middle", "my long")  # it has none of them: taken whole
    assert {result.attack for result in first_dataset.attacks} == {"reorder"}


def test_the_limit_keeps_whole_items() -> None:
    assert [len(first_items(DATA, rows)) for rows in (1, 3, 5, 6, 17, 18, 100)] == [3, 3, 3, 6, 15, 18, 18]
    assert first_items(DATA, 6).rows == DATA.rows[:6]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_says_how_to_go_on(
    data: str, folder: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setattr(scoring, "CHUNK", 4)
    metric = register(monkeypatch, Counting("count", fail_after=9, signal=number))
    done = run(data, "--out", str(folder), metrics="count")
    assert done.exit_code == 130
    assert f"what was computed is in {folder}. Run the same command again" in done.stderr
    assert len(metric.asked) == 8
    metric.fail_after = None
    done = run(data, "--out", str(folder), "--attacks", "none", metrics="count")
    assert "10 scores to compute" in done.stderr


def test_damaged_scores_are_told(data: str, folder: Path) -> None:
    folder.mkdir()
    (folder / "scores.sqlite").write_bytes(b"no database, but a long enough text" * 40)
    done = run(data, "--out", str(folder), "--attacks", "none")
    assert "warning:" in done.stderr
    assert "scores.sqlite.damaged-1" in done.stderr
    assert read_results(folder).datasets


def test_ratings(data: str, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item,variant,question,rater,rating\n1,mars,overall,x,5\n1,original,overall,x,6\n")
    run(data, "--out", str(folder), "--ratings", str(path), "--attacks", "none")
    result = read_results(folder).augmentations
    assert result is not None
    assert {rating.variant: rating.mean for rating in result.ratings} == {"original": 6.0, "mars": 5.0}


def test_errors_come_before_any_work(data: str, folder: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"candidate": "a", "references": ["b"], "human": 1}\n{"candidate": 3}\n')
    for arguments, problem in (
        ([str(bad)], r"bad\.jsonl:2: "),
        ([str(tmp_path / "toy.json")], "no such file"),
        ([data, "--systems", "shorts"], "no data set has a system 'shorts'.*Did you mean 'short'"),
        ([data, "--systems", ","], "--systems names none"),
        ([data, "--attacks", "reorders"], "unknown attack 'reorders'"),
        ([data, "--format", "newsrooms"], "unknown format 'newsrooms'"),
        ([data, "--field", "human"], "--field takes OURS=THEIRS"),
        ([data, "--draws", "0"], "0 draws"),
        ([data, "--ratings", "none.csv"], "no such file"),
        ([data, data], "2 data sets are called 'toy'"),
        ([data, "--preset", "novel"], "unknown preset 'novel'"),
    ):
        with pytest.raises((InputError, ConfigError), match=problem):
            CliRunner().invoke(
                study_command.study, [*arguments, "--out", str(folder), "--metrics", "random", "--no-report"],
                catch_exceptions=False, standalone_mode=False,
            )  # fmt: skip
    assert not folder.exists()


def test_a_field_by_another_name(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    rows = [{"candidate": "x" * i, "references": ["y"], "score": i} for i in range(1, 5)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(str(path), "--out", str(folder), "--field", "human=score", "--attacks", "none")
    assert [row.human for row in read_results(folder).datasets[0].rows] == [1.0, 2.0, 3.0, 4.0]


def test_rating_sheet(data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_command, "take_scorer", lambda values: toy_scorer())
    sheet = tmp_path / "sheet.csv"

    def make(*arguments: str) -> Result:
        return CliRunner().invoke(
            sheet_command.rating_sheet,
            [data, "--out", *arguments],
            catch_exceptions=False,
            standalone_mode=False,
        )

    done = make(str(sheet), "--items", "4")
    assert "12 texts of 4 items" in done.stderr
    with open(sheet, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with open(tmp_path / "sheet.key.csv", encoding="utf-8", newline="") as stream:
        key = {row["code"]: row for row in csv.DictReader(stream)}
    assert list(rows[0]) == ["code", "context", "text", "rater", "relevance", "readability", "overall"]
    assert {row["code"] for row in rows} == set(key)
    assert all(row["text"] == key[row["code"]]["text"] for row in rows)
    first = sheet.read_bytes()
    make(str(sheet), "--items", "4")
    assert sheet.read_bytes() == first
    with pytest.raises(ConfigError, match=r"a rating sheet is a \.csv file"):
        make(str(tmp_path / "sheet.xlsx"))
