"""JSON lines and lists of objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.io import json_rows, source
from mars_score.types import Example

if TYPE_CHECKING:
    from .conftest import Folder

ROW = '{"candidate": "c", "reference": "r"}'
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
FILLED = TEXT.filter(lambda text: text.strip() != "")
ROWS = st.lists(
    st.fixed_dictionaries({"candidate": TEXT, "references": st.lists(FILLED, min_size=1), "context": TEXT}),
    min_size=1,
    max_size=5,
)


def expected(rows: list[dict[str, Any]]) -> list[Example]:
    return [
        Example(str(number), row["candidate"], tuple(row["references"]), row["context"])
        for number, row in enumerate(rows, 1)
    ]


@settings(deadline=None)
@given(rows=ROWS, ascii_only=st.booleans())
def test_json_lines_are_read_as_written(
    shared_folder: Folder, rows: list[dict[str, Any]], ascii_only: bool
) -> None:
    text = "\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows)
    assert shared_folder.read("rows.ndjson", text) == expected(rows)


@settings(deadline=None, max_examples=50)
@given(rows=ROWS, ascii_only=st.booleans(), indent=st.sampled_from([None, 0, 2]), size=st.integers(1, 40))
def test_lists_are_read_as_written_whatever_the_window(
    shared_folder: Folder, rows: list[dict[str, Any]], ascii_only: bool, indent: int | None, size: int
) -> None:
    text = json.dumps(rows, ensure_ascii=ascii_only, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "PIECE", size)
        patch.setattr("mars_score.io.json_rows.PIECE", size)
        assert shared_folder.read("rows.json", text) == expected(rows)


def test_a_json_file_may_hold_json_lines(folder: Folder) -> None:
    assert len(folder.read("rows.json", f"\n \n{ROW}\n\n{ROW}")) == 2


def test_blank_lines_are_skipped_and_counted(folder: Folder) -> None:
    examples = folder.read("rows.jsonl", f"\n{ROW}\n  \n\r\n{ROW}\n\n")
    assert [example.id for example in examples] == ["1", "2"]
    assert folder.error("rows.jsonl", f"\n{ROW}\n  \n\r\n{{\n").line == 5


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_a_very_long_text(folder: Folder, name: str) -> None:
    text = 'word "é" ' * 200_000
    row = {"candidate": text, "reference": "r"}
    content = json.dumps(row if name.endswith("l") else [row, row])
    assert folder.read(name, content)[0].candidate == text


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ('{"candidate": "c" "reference": "r"}', 19, "broken JSON: Expecting ',' delimiter"),
        ("{'candidate': 'c'}", 2, "double quotes"),
        ('{"candidate": "c', 15, "Unterminated string"),
        ('{"candidate": "a\tb"}', 17, "Invalid control character"),
        (f"{ROW}{ROW}", 37, "Extra data"),
        ("[", 2, "broken JSON"),
        ("[" * 100_000, 1, "values nest too deep"),
        (f'{{"id": {"7" * 5000}}}', 1, "too many digits"),
        ("[1]", 1, "a row must be an object, not a list"),
        ('"text"', 1, "not a text"),
        ("3", 1, "not a number"),
        ("true", 1, "not true or false"),
        ("null", 1, "not null"),
    ],
)
def test_a_broken_line(folder: Folder, line: str, column: int, words: str) -> None:
    error = folder.error("rows.jsonl", f"{ROW}\n{line}\n{ROW}")
    assert (error.line, error.column) == (2, column)
    assert words in error.problem
    assert '{"candidate": "...", "references": ["..."]' in str(error.remedy)
    assert ".json file" in str(error.remedy)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        (f'[{ROW},\n  {{"candidate": "c" 1}}]', 2, 21, "Expecting ',' delimiter"),
        (f"[{ROW}\n {ROW}]", 2, 2, "expected a comma or the end of the list"),
        (f"[{ROW},\n {ROW}", 2, 38, "the list is not closed"),
        (f"\n[{ROW}]\n]", 3, 1, "text after the end of the list"),
        (f"[{ROW},\n]", 2, 1, "Expecting value"),
        (f'[{ROW},\n{{"candidate": "never', 2, 15, "Unterminated string"),
        (f'[{ROW},\n{{"candidate": "a\nb"}}]', 2, 17, "Invalid control character"),
        (f"[{ROW},\n\n 5]", 3, 2, "a row must be an object, not a number"),
        ("[[1]]", 1, 2, "a row must be an object, not a list"),
        ("[" * 100_000, 1, 2, "values nest too deep"),
        (f"[{'7' * 5000}]", 1, 2, "too many digits"),
        ("[", 1, 2, "Expecting value"),
    ],
)
def test_a_broken_list(folder: Folder, text: str, line: int, column: int, words: str) -> None:
    error = folder.error("rows.json", text)
    assert (error.line, error.column) == (line, column)
    assert words in error.problem
    assert "a list of objects" in str(error.remedy)


@pytest.mark.parametrize("size", [1, 7, 64])
def test_places_do_not_depend_on_the_window(
    folder: Folder, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "PIECE", size)
    monkeypatch.setattr("mars_score.io.json_rows.PIECE", size)
    error = folder.error("rows.json", f'[{ROW},\n {ROW}, {ROW},\n  {{"candidate": tru}}]')
    assert (error.line, error.column) == (3, 17)


def test_a_list_in_a_jsonl_file_names_the_right_suffix(folder: Folder) -> None:
    assert "a .json file" in str(folder.error("rows.jsonl", f"[{ROW}]").remedy)


def test_a_row_in_a_list_has_its_own_line(folder: Folder) -> None:
    rows = [{"candidate": "c", "reference": "r"}, {"candidate": 4, "reference": "r"}]
    assert folder.error("rows.json", json.dumps(rows, indent=1)).line == 6


@pytest.mark.parametrize("pieces", [4, 16, 64])
def test_a_long_value_is_parsed_a_few_times_its_length(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    parsed = 0
    decoder = json.JSONDecoder()

    class Counting:
        def raw_decode(self, text: str, at: int) -> tuple[object, int]:
            nonlocal parsed
            parsed += len(text) - at
            return decoder.raw_decode(text, at)

    monkeypatch.setattr(json_rows, "_DECODER", Counting())
    long = "word " * (pieces << 16 >> 2)
    text = json.dumps([{"candidate": long, "reference": "r"}, {"candidate": "c", "reference": "r"}])
    assert len(folder.read("rows.json", text)) == 2
    assert parsed <= 4 * len(text) + (1 << 18)
    parsed = 0
    error = folder.error("rows.json", text[:-200])
    assert error.line == 1
    assert parsed <= 4 * len(text) + (1 << 18)
