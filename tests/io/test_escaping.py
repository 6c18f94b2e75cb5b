"""Cells that a spreadsheet would run as formulas, and the way back to the texts that they were."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.io.output import write_signatures
from mars_score.io.writers import FORMULA, DelimitedTable, escape, open_writer, result_rows, unescape
from mars_score.study.augmentation_ratings import SheetRow, key_path, key_text, read_ratings, sheet_text
from mars_score.study.report.render import to_csv
from mars_score.study.report.table import Column, TableCell
from mars_score.study.report.table import Table as ReportTable
from mars_score.study.systems import read_scores
from mars_score.types import ResultRow
from mars_score.web.rating.sheet import Meaning, ratings_text, read_key, read_sheet
from mars_score.web.rating.storage import RatingAnswer

FORMULAS = [
    "=1+1", "=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1",
    "\uff1d1", "\uff0b", "\uff0d", "\uff20",
]  # fmt: skip
HARMLESS = ["", "a", "'", "'a", "'tis", "a=b", " =1", "1-2", "ein 'Wort'"]
TRICKY = ["'=1", "''", "'''", "''=1", "'\t", "'-"]
texts = st.text(st.sampled_from("'=+-@\t\r\n\uff1da, \";"), max_size=6) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
)


@pytest.mark.parametrize("text", FORMULAS + TRICKY)
def test_what_is_escaped(text: str) -> None:
    assert escape(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_left_alone(text: str) -> None:
    assert escape(text) == text == unescape(text)


@given(texts)
def test_every_text_comes_back(text: str) -> None:
    cell = escape(text)
    assert unescape(cell) == text
    assert cell[:1] not in FORMULA


@given(texts, texts)
def test_different_texts_stay_different(first: str, second: str) -> None:
    assert (escape(first) == escape(second)) == (first == second)


@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("kind", ["csv", "tsv"])
@settings(deadline=None)
@given(ids=st.lists(texts, min_size=1, max_size=5, unique=True), score=st.floats(-9, 9))
def test_results_are_read_back(kind: str, escaped: bool, ids: list[str], score: float) -> None:
    """As a run that goes on reads them, and as `compare` does."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"out.{kind}")
        rows = [ResultRow(name, {"m": score}) for name in ids]
        with open_writer(path, escaped=escaped) as writer:
            for row in rows:
                writer.write(row)
        write_signatures(path, {}, {} if escaped else {"escaped": False})
        assert [row for row, _ in result_rows(path, kind, ["m"], escaped=escaped)] == rows
        if all("\r" not in name and name.strip() for name in ids):  # other readers end lines there
            assert read_scores(path) == {name: {"m": score} for name in ids}


def test_negative_scores_stay_numbers() -> None:
    record = DelimitedTable(",")(ResultRow("-1", {"m": -0.5}))
    assert record == "id,m,flags\n'-1,-0.5,\n"
    assert DelimitedTable(",", escaped=False)(ResultRow("-1", {"m": -0.5})) == "id,m,flags\n-1,-0.5,\n"


@settings(deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4, unique_by=lambda pair: pair[0].strip()))
def test_a_rating_sheet_its_key_and_the_ratings(pairs: list[tuple[str, str]]) -> None:
    # Lone carriage returns are not kept by the readers of these files, whatever stands before them.
    pairs = [(item.replace("\r", ""), text.replace("\r", "")) for item, text in pairs]
    rows = [SheetRow(f"c{n}", item, "mars", text, text) for n, (item, text) in enumerate(pairs)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "sheet.csv")
        path.write_text(sheet_text(rows), "utf-8", newline="")
        key_path(path).write_text(key_text(rows), "utf-8", newline="")
        for file in (path, key_path(path)):
            with file.open(encoding="utf-8", newline="") as stream:
                assert not [cell for cells in csv.reader(stream) for cell in cells if cell[:1] in FORMULA]
        sheet = read_sheet(path)
        assert [(text.context, text.text) for text in sheet.texts] == [(row.text, row.text) for row in rows]
        assert read_key(key_path(path), sheet) == {row.code: Meaning(row.item, "mars") for row in rows}


def test_a_rater_with_the_name_of_a_formula(tmp_path: Path) -> None:
    name = '=HYPERLINK("http://example.org")'
    text = ratings_text([RatingAnswer(name, "c", "overall", 3)], {"c": Meaning("@item", "mars")})
    assert list(csv.reader(io.StringIO(text)))[1] == ["'@item", "mars", "overall", f"'{name}", "3"]
    path = tmp_path / "ratings.csv"
    path.write_text(text, "utf-8")
    (rating,) = read_ratings(path)
    assert (rating.item, rating.rater) == ("@item", name)


def test_tables_of_a_report() -> None:
    columns = (Column("=title", kind="text"), Column("number", kind="number"))
    table = ReportTable(
        "name", "title", "caption", columns, ((TableCell(text="+system"), TableCell(value=-1.5)),)
    )
    assert list(csv.reader(io.StringIO(to_csv(table)))) == [["'=title", "number"], ["'+system", "-1.5"]]
