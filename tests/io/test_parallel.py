"""Plain text files side by side."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import InputError
from mars_score.io.readers import read_parallel
from mars_score.types import Example

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Folder


def test_one_item_a_line(folder: Folder) -> None:
    candidates = folder.put("c.txt", "\ufeffone\r\n\r\nthree")
    references = [
        folder.put("r1.txt", "r1\nr2\nr3\n"),
        folder.put("r2.txt", "s1\n\n \n"),
        folder.put("r3.txt", "\nt2\n\n"),
    ]
    contexts = folder.put("x.txt", "x1\n\nx3\n")
    assert list(read_parallel(candidates=candidates, references=references, contexts=contexts)) == [
        Example("1", "one", ("r1", "s1"), "x1"),
        Example("2", "", ("r2", "t2"), ""),
        Example("3", "three", ("r3",), "x3"),
    ]


def test_one_file_of_references_needs_no_list(folder: Folder) -> None:
    candidates, references = folder.put("c", "c\n"), folder.put("r", "r\n")
    for path in (references, str(references)):
        assert list(read_parallel(candidates=candidates, references=path)) == [Example("1", "c", ("r",), "")]


def test_contexts_are_optional(folder: Folder) -> None:
    examples = read_parallel(candidates=folder.put("c", "c\n"), references=[folder.put("r", "r\n")])
    assert list(examples) == [Example("1", "c", ("r",), "")]


@pytest.mark.parametrize(("lines", "count", "line"), [("r\n", 1, 2), ("r\nr\nr\nr", 4, 4), ("", 0, 1)])
def test_different_lengths_name_both_counts(folder: Folder, lines: str, count: int, line: int) -> None:
    candidates, references = folder.put("c.txt", "c\nc\nc\n"), folder.put("r.txt", lines)
    with pytest.raises(InputError) as caught:
        read_parallel(candidates=candidates, references=[references])
    assert f"c.txt has 3 lines, but {references} has {count}" in caught.value.problem
    assert (caught.value.path, caught.value.line) == (str(references), line)
    assert "line n of each file" in str(caught.value.remedy)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_of_different_lengths_are_found_at_the_end(folder: Folder) -> None:
    pipe = folder.path / "r.fifo"
    os.mkfifo(pipe)
    feeder = threading.Thread(target=pipe.write_bytes, args=(b"r\nr\nr\nr\n",))
    feeder.start()
    examples = read_parallel(candidates=folder.put("c.txt", "c\nc\n"), references=[pipe])
    assert next(examples).id == "1"
    assert next(examples).id == "2"
    with pytest.raises(InputError, match=r"c\.txt has 2 lines, but .*r\.fifo has 4"):
        next(examples)
    feeder.join()


def test_a_blank_first_reference(folder: Folder) -> None:
    candidates, references = folder.put("c.txt", "c\nc\n"), folder.put("r.txt", "r\n \n")
    examples = read_parallel(candidates=candidates, references=[references])
    next(examples)
    with pytest.raises(InputError, match="item '2': the reference is blank") as caught:
        next(examples)
    assert (caught.value.path, caught.value.line) == (str(references), 2)


def test_no_rows(folder: Folder) -> None:
    with pytest.raises(InputError, match="no rows"):
        list(read_parallel(candidates=folder.put("c", ""), references=[folder.put("r", "")]))


def test_no_references() -> None:
    with pytest.raises(InputError, match="no file of references"):
        read_parallel(candidates="c.txt", references=[])


def test_a_missing_file_is_never_text(folder: Folder) -> None:
    present = folder.put("c.txt", "c\n")
    missing = folder.path / "d.txt"
    for candidates, reference in ((missing, present), (present, missing)):
        with pytest.raises(InputError, match="no such file") as caught:
            read_parallel(candidates=candidates, references=[reference])
        assert caught.value.path == missing


def test_damage_names_the_file_and_the_line(folder: Folder) -> None:
    references: Path = folder.put("r.txt", b"r\n\xff\n")
    with pytest.raises(InputError, match="not UTF-8") as caught:
        list(read_parallel(candidates=folder.put("c.txt", "c\nc\n"), references=[references]))
    assert (caught.value.path, caught.value.line) == (str(references), 2)
