"""Parquet input."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet
import pytest

from mars_score.errors import InputError
from mars_score.io.readers import read_examples
from mars_score.types import Example

if TYPE_CHECKING:
    from .conftest import Folder


def table(**columns: Any) -> bytes:
    """Return a table's bytes; arrays of pyarrow keep their type."""
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), stream)
    return stream.getvalue()


def test_columns_of_every_accepted_type(folder: Folder) -> None:
    content = table(
        id=[7, 8],
        candidate=pyarrow.array(["c", ""]).dictionary_encode(),
        references=[["One.", "Two."], ["Three."]],
        context=pyarrow.array(["x", None], pyarrow.large_string()),
        question=pyarrow.array([float("nan"), None]),
        ratings=[[1, 2], None],
    )
    assert folder.read("rows.parquet", content) == [
        Example("7", "c", ("One.", "Two."), "x"),
        Example("8", "", ("Three.",), ""),
    ]


def test_numbered_references_and_mapping(folder: Folder) -> None:
    content = table(prediction=["c"], reference_2=["two"], reference_1=[None], reference_3=["three"])
    examples = folder.read("rows.parquet", content, fields={"candidate": "prediction"})
    assert examples[0].references == ("two", "three")


def test_rows_beyond_one_batch_keep_their_numbers(folder: Folder) -> None:
    content = table(candidate=["c"] * 1000, reference=["r"] * 999 + [None])
    path = folder.put("rows.parquet", content)
    with pytest.raises(InputError, match="item '1000': no reference") as caught:
        list(read_examples(path))
    assert caught.value.line == 1000


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"candidate": [b"bytes"], "reference": ["r"]}, "candidate must be text, not bytes"),
        ({"candidate": [1.5], "reference": ["r"]}, "candidate must be text, not a number"),
        ({"candidate": [float("inf")], "reference": ["r"]}, "candidate is null or NaN"),
        ({"candidate": [{"a": 1}], "reference": ["r"]}, "candidate must be text, not an object"),
        (
            {"candidate": ["c"], "references": pyarrow.array([[]], pyarrow.list_(pyarrow.string()))},
            "empty list",
        ),
        ({"candidate": ["c"], "references": [["r", None]]}, "references[2 of 2] is null"),
        (
            {"id": [pyarrow.scalar(5, pyarrow.timestamp("s"))], "candidate": ["c"], "reference": ["r"]},
            "type datetime",
        ),
    ],
)
def test_bad_values(folder: Folder, columns: dict[str, Any], words: str) -> None:
    error = folder.error("rows.parquet", table(**columns))
    assert error.line == 1
    assert words in error.problem


def test_a_missing_column(folder: Folder) -> None:
    error = folder.error("rows.parquet", table(hypothesis=["c"], reference=["r"]))
    assert error.problem == "no column 'candidate'"
    assert "--field candidate=hypothesis" in str(error.remedy)


def test_a_column_twice(folder: Folder) -> None:
    stream = io.BytesIO()
    arrays = [pyarrow.array(["x"])] * 3
    pyarrow.parquet.write_table(pyarrow.table(arrays, names=["candidate", "reference", "reference"]), stream)
    assert "several columns 'reference'" in folder.error("rows.parquet", stream.getvalue()).problem


def test_text_that_is_not_utf8(folder: Folder) -> None:
    broken = pyarrow.array([b"\xff\xfe"]).view(pyarrow.string())
    error = folder.error("rows.parquet", table(candidate=broken, reference=["r"]))
    assert "not a readable Parquet file" in error.problem


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no table", b"PAR1" + b"x" * 100 + b"PAR1"])
def test_a_file_that_is_not_parquet(folder: Folder, content: bytes) -> None:
    error = folder.error("rows.parquet", content)
    assert "not a readable Parquet file" in error.problem
    assert ".jsonl" in str(error.remedy)


def test_no_rows(folder: Folder) -> None:
    content = table(
        candidate=pyarrow.array([], pyarrow.string()), reference=pyarrow.array([], pyarrow.string())
    )
    assert "no rows" in folder.error("rows.parquet", content).problem


def test_without_pyarrow_the_extra_is_named(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.put("rows.parquet", b"")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="pyarrow, which is not installed") as caught:
        read_examples(path)
    assert "pip install 'mars-score[parquet]'" in str(caught.value.remedy)
    assert caught.value.path == str(path)


def test_not_from_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pipe()))
    with pytest.raises(InputError, match="<stdin>: Parquet cannot be read from a pipe"):
        list(read_examples("-", format="parquet"))


def test_a_path_object_and_a_text_are_the_same(folder: Folder) -> None:
    path = folder.put("rows.parquet", table(candidate=["c"], reference=["r"]))
    assert list(read_examples(path)) == list(read_examples(str(path)))
    assert isinstance(path, Path)
