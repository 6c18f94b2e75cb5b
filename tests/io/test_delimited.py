"""CSV and TSV."""

from __future__ import annotations

import csv
import difflib
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.errors import InputError
from mars_score.io import delimited
from mars_score.io.fields import field_names
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .conftest import Folder

TEXT = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]))
CELL = TEXT.filter(lambda text: text not in ("NaN", "nan", "inf", "-inf", "Infinity", "-Infinity"))
FILLED = CELL.filter(lambda text: text.strip() != "")


@settings(deadline=None)
@given(
    rows=st.lists(st.tuples(CELL, st.lists(FILLED, min_size=1), CELL), min_size=1),
    tabs=st.booleans(),
    crlf=st.booleans(),
)
def test_tables_are_read_as_written(
    shared_folder: Folder, rows: list[tuple[str, list[str], str]], tabs: bool, crlf: bool
) -> None:
    text = io.StringIO()
    table = csv.writer(text, delimiter="\t" if tabs else ",", lineterminator="\r\n" if crlf else "\n")
    table.writerow(["candidate", "references", "context"])
    table.writerows((candidate, json.dumps(references), context) for candidate, references, context in rows)
    examples = shared_folder.read("rows.tsv" if tabs else "rows.csv", text.getvalue())
    assert examples == [Example(str(n), row[0], tuple(row[1]), row[2]) for n, row in enumerate(rows, 1)]


def test_cells_with_line_breaks_and_right_lines(folder: Folder) -> None:
    text = 'id,candidate,reference\r\na,"one\r\ntwo\n\nthree",r\r\n\r\nb,"quoted ""word"", here",r\r\n'
    examples = folder.read("rows.csv", text)
    assert [example.candidate for example in examples] == ["one\ntwo\n\nthree", 'quoted "word", here']
    error = folder.error("rows.csv", text + 'c,"x\ny", \n')
    assert error.line == 8
    assert "item 'c': reference is blank" in error.problem


def test_a_references_cell(folder: Folder) -> None:
    text = 'candidate\treferences\nc\t["One.", "Two."]\nc\tOnly one.\n'
    assert [e.references for e in folder.read("rows.tsv", text)] == [("One.", "Two."), ("Only one.",)]


def test_a_bracket_in_the_column_reference_is_text(folder: Folder) -> None:
    assert folder.read("rows.csv", "candidate,reference\nc,[MALE] ran\n")[0].references == ("[MALE] ran",)


def test_a_mapped_references_cell_is_a_list_too(folder: Folder) -> None:
    text = 'candidate\tgolds\nc\t["One.", "Two."]\n'
    assert folder.read("rows.tsv", text, fields={"references": "golds"})[0].references == ("One.", "Two.")


@pytest.mark.parametrize("cell", ["[MALE] ran", "['One.', 'Two.']", '"[""One."""', "[" * 100_000])
def test_a_bracket_that_is_no_list(folder: Folder, cell: str) -> None:
    error = folder.error("rows.csv", f'candidate,references\nc,"{cell.strip(chr(34))}"\n')
    assert error.line == 2
    assert "starts with '[' but is not a JSON list" in error.problem
    assert "name the column reference" in str(error.remedy)


def test_numbered_references(folder: Folder) -> None:
    text = "candidate,reference_10,reference_2,reference_1\nc,ten,two,one\nc,,,only\nc,nan, ,one\n"
    assert [e.references for e in folder.read("rows.csv", text)] == [
        ("one", "two", "ten"),
        ("only",),
        ("one",),
    ]


def test_cells_of_missing_numbers_are_null(folder: Folder) -> None:
    text = "id,candidate,reference,context\nNaN,c,r,nan\n-inf,c,r,Infinity\nx,Nan,r,\n"
    examples = folder.read("rows.csv", text)
    assert [(e.id, e.context) for e in examples] == [("1", ""), ("2", ""), ("x", "")]
    assert examples[2].candidate == "Nan"
    assert "candidate is null" in folder.error("rows.csv", "candidate,reference\nNaN,r\n").problem


def test_an_empty_candidate_cell(folder: Folder) -> None:
    assert folder.read("rows.csv", "candidate,reference\n,r\n")[0].candidate == ""


def test_header_names_may_have_space_around_them(folder: Folder) -> None:
    assert folder.read("rows.csv", "candidate, reference ,context\nc,r,x\n")[0].context == "x"


def test_a_very_long_cell(folder: Folder) -> None:
    text = "word " * 100_000
    assert folder.read("rows.csv", f"candidate,reference\n{text},r\n")[0].candidate == text


def test_no_header(folder: Folder) -> None:
    error = folder.error("rows.csv", "1,The owl slept.,An owl was asleep.\n")
    assert error.line == 1
    assert (
        "no column 'candidate'; the first row reads: 1, The owl slept., An owl was asleep." in error.problem
    )
    assert "If the file has no header, put one above the first row" in str(error.remedy)


def test_a_long_first_row_is_cut_in_the_message(folder: Folder) -> None:
    assert len(folder.error("rows.csv", "word," * 1000).problem) < 250


def test_a_header_with_foreign_names(folder: Folder) -> None:
    error = folder.error("rows.csv", "\nprediction,target\nc,r\n")
    assert error.line == 2
    assert "--field candidate=prediction --field references=target" in str(error.remedy)
    fields = {"candidate": "prediction", "reference": "target"}
    assert len(folder.read("rows.csv", "prediction,target\nc,r\n", fields=fields)) == 1


@pytest.mark.parametrize(("name", "mark"), [("rows.csv", ";"), ("rows.csv", "\t"), ("rows.tsv", ",")])
def test_the_wrong_delimiter(folder: Folder, name: str, mark: str) -> None:
    error = folder.error(name, f"candidate{mark}reference\nc{mark}r\n")
    assert f"separated by {mark!r}" in str(error.remedy)


def test_a_column_twice(folder: Folder) -> None:
    error = folder.error("rows.csv", "candidate,reference,reference\nc,r,s\n")
    assert error.line == 1
    assert "2 columns 'reference'" in error.problem
    assert "reference_1" in str(error.remedy)
    assert len(folder.read("rows.csv", "candidate,reference,note,note\nc,r,,\n")) == 1


@pytest.mark.parametrize(("cells", "count"), [("c", 1), ("c,r,x,y", 4)])
def test_the_wrong_number_of_cells(folder: Folder, cells: str, count: int) -> None:
    error = folder.error("rows.csv", f'candidate,reference,context\n"a\nb",r,x\n{cells}\n')
    assert error.line == 4
    assert f"{count} cells, but the header has 3" in error.problem
    assert "must be quoted" in str(error.remedy)


def test_a_quote_that_is_never_closed(folder: Folder) -> None:
    error = folder.error("rows.csv", 'candidate,reference\nc,r\n"c,r\nc,r\nc,r\n')
    assert error.line == 3
    assert "never closed" in error.problem


def test_text_after_a_closing_quote(folder: Folder) -> None:
    error = folder.error("rows.tsv", 'candidate\treference\n"Hello" she said\tr\n')
    assert error.line == 2
    assert "goes on after its closing quote" in error.problem
    assert "twice" in str(error.remedy)


def test_old_line_ends(folder: Folder) -> None:
    error = folder.error("rows.csv", "candidate,reference\rc,r\r")
    assert error.line == 1
    assert "LF or CRLF" in str(error.remedy)


class CountedNames(list[str]):
    """A header that counts how often it is gone through."""

    passes = 0

    def count(self, value: str) -> int:
        self.passes += 1
        return super().count(value)


def test_a_wide_header_is_looked_at_once() -> None:
    header = CountedNames(["candidate", *(f"reference_{number}" for number in range(4_000))])
    delimited._check_header(header, field_names(), "rows.csv", 1)
    assert header.passes <= 1
    with pytest.raises(InputError, match="2 columns 'reference_3999'"):
        delimited._check_header(CountedNames([*header, "reference_3999"]), field_names(), "rows.csv", 1)


@pytest.mark.parametrize(
    "cells",
    [",", '"",', 'a",', '"a""b",', '"a\n,b",', '"' + "," * 9 + '",', '"",,', "ab,"],
    ids=range(8),
)
def test_a_row_of_too_many_cells(folder: Folder, monkeypatch: pytest.MonkeyPatch, cells: str) -> None:
    table = csv.reader

    def parse(lines: Iterable[str], **options: Any) -> Iterator[list[str]]:
        """Refuse to make more cells than a row may have."""
        for row in table(lines, **options):
            assert len(row) <= 2 * delimited.COLUMNS
            yield row

    class Reader:
        line_num = 0

        def __init__(self, lines: Iterable[str], **options: Any) -> None:
            self.rows = parse(lines, **options)

        def __iter__(self) -> Iterator[list[str]]:
            return self

        def __next__(self) -> list[str]:
            return next(self.rows)

    monkeypatch.setattr(csv, "reader", Reader)
    error = folder.error("rows.csv", "candidate,reference," + cells * 20_000 + "\n")
    assert error.line == 1
    assert "more than 5,000 cells" in error.problem
    assert "leave out columns" in str(error.remedy)


def test_many_delimiters_in_quotes_are_one_cell(folder: Folder) -> None:
    text = "one, two\n" * 6_000
    for name, mark in (("rows.csv", ","), ("rows.tsv", "\t")):
        quoted = text.replace(",", mark)
        content = f'candidate{mark}reference{mark}note\n"{quoted}"{mark}"r ""{quoted}"""{mark}5" nail\n'
        assert folder.read(name, content)[0].candidate == quoted
        content = f"candidate{mark}reference\nc{mark}r\nc{mark}{f'r{mark}' * 6_000}\n"
        assert folder.error(name, content).line == 3


@settings(deadline=None)
@given(rows=st.lists(st.lists(CELL, min_size=1, max_size=6), min_size=1, max_size=4), tabs=st.booleans())
def test_cells_are_counted_as_they_are_parsed(rows: list[list[str]], tabs: bool) -> None:
    delimiter, text = "\t" if tabs else ",", io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    reader = csv.reader(io.StringIO(text.getvalue(), newline="\n"), delimiter=delimiter, strict=True)
    lines = text.getvalue().split("\n")[:-1]
    width, taken = delimited._Width(delimiter, "rows.csv"), 0
    for cells in reader:
        width.begin(taken + 1)
        for line in lines[taken : reader.line_num]:
            width.checked(line)
        taken = reader.line_num
        assert width.cells == max(len(cells), 1)
        assert not width.quoted


def test_a_misspelling_is_looked_for_among_few_names(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    close = difflib.get_close_matches

    def counted(word: str, names: Iterable[str], **options: Any) -> list[str]:
        nonlocal compared
        names = list(names)
        compared += len(names)
        return close(word, names, **options)

    monkeypatch.setattr(difflib, "get_close_matches", counted)
    row = {"candidat": "c", **{f"note {number}": 0 for number in range(50_000)}, "x" * 100_000: 0}
    error = folder.error("rows.jsonl", json.dumps(row))
    assert "'candidat' as 'candidate'" in str(error.remedy)
    assert compared <= 3_000
    nothing = {"x" * 100_000: 0, **{f"{number}": 0 for number in range(50_000)}}
    assert len(str(folder.error("rows.jsonl", json.dumps(nothing)))) < 3_000
