"""The model of a table, and numbers as text."""

from __future__ import annotations

import math

import pytest

from mars_score.io.html import printable, shortened
from mars_score.study.report.table import Column, Table, TableCell, mark_best, without_empty_columns
from mars_score.study.report.wording import counted, listed, measure, number, p_value, percent, slugs


def test_a_row_must_fit_the_columns() -> None:
    with pytest.raises(ValueError, match="table t: 1 entries for 2 columns"):
        Table("t", "", "", (Column("a"), Column("b")), ((TableCell("x"),),))


def test_what_is_not_a_number_is_undefined() -> None:
    assert TableCell(value=math.nan) == TableCell(value=None, reason="the result is nan")
    assert TableCell(value=math.inf, reason="known").reason == "known"


def test_a_number_needs_no_reason() -> None:
    assert TableCell(value=0.0, reason="none").reason == ""


def test_best_marks_all_equals_and_skips_missing() -> None:
    rows = [(TableCell(value=value),) for value in (1.0, None, 2.0, 2.0)]
    assert [line[0].best for line in mark_best(rows, 0)] == [False, False, True, True]
    assert [line[0].best for line in mark_best(rows, 0, min)] == [True, False, False, False]


def test_one_number_is_not_the_best_of_anything() -> None:
    assert not mark_best([(TableCell(value=1.0),), (TableCell(),)], 0)[0][0].best


def test_columns_without_any_number_go() -> None:
    columns = (Column("name"), Column("none", "number"), Column("why", "number"), Column("one", "number"))
    row = (TableCell("x"), TableCell(), TableCell(reason="because"), TableCell(value=1.0))
    kept = without_empty_columns(Table("t", "", "", columns, (row,)))
    assert [column.title for column in kept.columns] == ["name", "why", "one"]
    assert [len(line) for line in kept.rows] == [3]


def test_headings_span_neighbours() -> None:
    columns = (Column("m"), Column("a", group="x"), Column("b", group="x"), Column("a", group="y"))
    assert Table("t", "", "", columns, ()).groups == (("", 1), ("x", 2), ("y", 1))
    assert Table("t", "", "", (Column("m"),), ()).groups == ()


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [(-0.0001, 3, "0.000"), (-0.0006, 3, "-0.001"), (1234.5, 0, "1,234"), (0.5, 2, "0.50")],
)
def test_numbers(value: float, decimals: int, shown: str) -> None:
    assert number(value, decimals) == shown


def test_p_values_and_shares() -> None:
    assert p_value(0.00099) == "<0.001"
    assert p_value(0.001) == "0.001"
    assert percent(0.625) == "62%"
    assert percent(0.625, 1) == "62.5%"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (0.01234, "0.0123"), (1.234, "1.23"), (12345.6, "12,346"), (-2.0, "-2.00")],
)
def test_measures(value: float, shown: str) -> None:
    assert measure(value) == shown


def test_lists_and_counts() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefgh"), limit=3) == "a, b and 6 more"
    assert counted(1, "row") == "1 row"
    assert counted(2000, "row") == "2,000 rows"


def test_names_of_strangers_become_file_names() -> None:
    result = slugs(["../../etc/passwd", "News Room", "news_room", "日本", "", "a" * 500])
    assert result == ["etc_passwd", "news_room", "news_room_2", "unnamed", "unnamed_2", "a" * 60]


def test_texts_of_strangers() -> None:
    assert printable("a\x00b\r\nc\ud800\x9b") == "a\ufffdb\nc\ufffd\ufffd"
    assert shortened("one two  three", 8) == "one two …"
    assert shortened("abcdefghij", 4) == "abcd …"
