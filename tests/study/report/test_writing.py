"""Files of a report: all of them, the same every time, and only where they belong."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import OutputError
from mars_score.study.report.page import write_report
from mars_score.study.results import DatasetResult
from tests.study.report.sample import sample_study
from tests.study.report.small import INFO, small_study

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_table_in_three_formats_and_every_figure_in_two(tmp_path: Path) -> None:
    write_report(sample_study(), tmp_path / "new" / "report")
    files = written(tmp_path / "new" / "report")
    endings: dict[str, set[str]] = {}
    for name in files:
        endings.setdefault(name.partition(".")[0], set()).add(name.partition(".")[2])
    assert endings.pop("report") == {"html"}
    kinds = {(stem.partition("/")[0], *sorted(ending)) for stem, ending in endings.items()}
    assert kinds == {("tables", "csv", "md", "tex"), ("figures", "png", "svg")}
    assert len(endings) > 40
    for name, content in files.items():
        assert content, name


def test_equal_studies_give_equal_bytes(tmp_path: Path) -> None:
    study = small_study(DatasetResult("d", INFO))
    write_report(study, tmp_path / "a")
    write_report(study, tmp_path / "b")
    write_report(study, tmp_path / "b")
    assert written(tmp_path / "a") == written(tmp_path / "b")


def test_numbers_of_a_csv_file_are_those_of_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    study = sample_study()
    write_report(replace(study, datasets=study.datasets[:1]), tmp_path)
    with open(tmp_path / "tables" / "table3_levels_kendall.csv", newline="", encoding="utf-8") as file:
        results = {row["metric"]: row for row in csv.DictReader(file)}
    for cell in study.datasets[0].cells:
        if (cell.level, cell.group, cell.statistic) == ("item", "", "kendall"):
            row = results[cell.metric]
            shown = [float(row[f"stories: within items{part}"]) for part in ("", " low", " high")]
            assert shown == [cell.value, cell.low, cell.high]


def test_without_the_library_there_is_no_png(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    write_report(small_study(DatasetResult("d", INFO)), tmp_path)
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["table2_ratings.svg"]


def test_names_of_data_sets_do_not_leave_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    study = sample_study()
    strange = [replace(study.datasets[0], name=name) for name in ("../../out", "/etc/x", "a\x00b")]
    write_report(replace(study, datasets=tuple(strange)), tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    names = {path.name for path in (tmp_path / "in" / "tables").glob("table5_ratios_*.csv")}
    assert names == {"table5_ratios_out.csv", "table5_ratios_etc_x.csv", "table5_ratios_a_b.csv"}


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match=r"(?s)file.*cannot be written.*remedy: choose a folder"):
        write_report(small_study(DatasetResult("d", INFO)), tmp_path / "file")
