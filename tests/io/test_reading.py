"""Choosing the reader, files that are no input, and laziness."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ConfigError, InputError
from mars_score.io.readers import read_examples
from mars_score.types import Example

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Folder

ROW = '{"candidate": "c", "reference": "r"}'


def refused(path: str | Path) -> InputError:
    """Return the error of an input that is refused in the call itself."""
    with pytest.raises(InputError) as caught:
        read_examples(path)
    assert str(caught.value.path) == str(path)
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet", "rows.txt", "The owl slept."])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path / name).problem == "no such file"


def test_a_missing_file_with_a_neighbour(folder: Folder) -> None:
    folder.put("stories.jsonl", ROW)
    assert "Did you mean 'stories.jsonl'?" in str(refused(folder.path / "story.jsonl").remedy)


def test_a_missing_folder(tmp_path: Path) -> None:
    assert refused(tmp_path / "no" / "rows.jsonl").problem == "no such file"


@pytest.mark.parametrize("text", ["The owl slept. " * 100, "a\0b"])
def test_text_in_place_of_a_path(text: str) -> None:
    assert "cannot be read" in refused(text).problem


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").mkdir()
    assert "a folder" in refused(tmp_path / "rows.jsonl").problem


def test_no_permission(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.put("rows.jsonl", ROW)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "no permission" in refused(path).problem


@pytest.mark.parametrize("name", ["rows.txt", "rows", "rows.jsonl.gz", "jsonl"])
def test_an_unknown_suffix(folder: Folder, name: str) -> None:
    error = refused(folder.put(name, ROW))
    assert "cannot tell the format" in error.problem
    for suffix in (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet"):
        assert suffix in str(error.remedy)


def test_a_format_overrides_the_suffix(folder: Folder) -> None:
    assert folder.read("rows.txt", ROW, format="jsonl")
    assert folder.read("rows.jsonl", "candidate\treference\nc\tr\n", format="tsv")
    assert folder.read("ROWS.JSONL", ROW)


def test_an_unknown_format(folder: Folder) -> None:
    path = folder.put("rows.txt", ROW)
    with pytest.raises(ConfigError, match=r"unknown format 'jsonlines'.*Did you mean 'jsonl'"):
        read_examples(path, format="jsonlines")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.jsonl", ""),
        ("rows.jsonl", "\n \n"),
        ("rows.json", ""),
        ("rows.json", "[]"),
        ("rows.json", " [\n] \n"),
        ("rows.csv", ""),
        ("rows.csv", "\ufeff"),
        ("rows.csv", "candidate,reference\n\n"),
        ("rows.tsv", "candidate\treference"),
    ],
)
def test_no_rows(folder: Folder, name: str, content: str) -> None:
    assert folder.error(name, content).problem == "the file has no rows"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{ROW}\n{ROW}\n".encode())))
    assert list(read_examples("-")) == [Example("1", "c", ("r",)), Example("2", "c", ("r",))]


def test_standard_input_in_another_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"candidate,reference\nc,r\n,\n")))
    examples = read_examples("-", format="csv")
    next(examples)
    with pytest.raises(InputError, match=r"^<stdin>:3: item '2'"):
        next(examples)


def test_a_read_that_fails_midway(monkeypatch: pytest.MonkeyPatch) -> None:
    class Disk(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Disk()))
    with pytest.raises(InputError, match="<stdin>: cannot be read: Input/output error"):
        list(read_examples("-"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.jsonl", f"{ROW}\n{ROW}\nbroken\n"),
        ("rows.json", f"[{ROW}, {ROW}, broken"),
        ("rows.csv", "candidate,reference\nc,r\nc,r\nbroken\n"),
    ],
)
def test_rows_before_a_bad_one_are_read(folder: Folder, name: str, content: str) -> None:
    examples = read_examples(folder.put(name, content))
    assert [next(examples).id, next(examples).id] == ["1", "2"]
    with pytest.raises(InputError):
        next(examples)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv", "rows.tsv"])
def test_memory_does_not_grow_with_the_file(folder: Folder, name: str) -> None:
    text = "word " * 2000
    count = 1000
    if name.endswith("sv"):
        mark = "\t" if name.endswith("tsv") else ","
        content = f"candidate{mark}reference\n" + f"{text}{mark}r\n" * count
    else:
        row = json.dumps({"candidate": text, "reference": "r"})
        content = "\n".join([row] * count) if name.endswith("l") else f"[{','.join([row] * count)}]"
    path = folder.put(name, content)
    size = len(content)
    del content
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_examples(path)) == count
        assert tracemalloc.get_traced_memory()[1] < size / 10
    finally:
        tracemalloc.stop()


def test_the_import_is_light() -> None:
    code = "import sys, mars_score.io; print(sorted({'torch', 'pyarrow'} & set(sys.modules)))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "[]"
