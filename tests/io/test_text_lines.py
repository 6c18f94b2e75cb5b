"""Bytes to lines: encodings, line ends, damage."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.errors import InputError
from mars_score.io import source
from mars_score.io.source import PIECE, lines, pieces

if TYPE_CHECKING:
    from .conftest import Folder

ROW = '{"candidate": "c", "reference": "r"}'


def read(data: bytes) -> list[tuple[int, str]]:
    return list(lines(pieces(io.BytesIO(data), "x.txt")))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\xef\xbb\xbf", []),
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb", ["a", "b"]),
        (b"\xef\xbb\xbfa\n\n", ["a", ""]),
        (b"a\rb\n", ["a\rb"]),
        ("a\u2028b\x85c\x0bd\n".encode(), ["a\u2028b\x85c\x0bd"]),
        ("b\ufeffa\n\ufeff".encode(), ["b\ufeffa", "\ufeff"]),
    ],
)
def test_lines(data: bytes, expected: list[str]) -> None:
    assert read(data) == list(enumerate(expected, 1))


@settings(deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]))), st.booleans()
)
def test_what_is_written_is_read(texts: list[str], windows: bool) -> None:
    data = "".join(text + ("\r\n" if windows else "\n") for text in texts).encode("utf-8-sig")
    assert [text for _, text in read(data)] == texts


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), st.integers(1, 5))
def test_pieces_may_end_inside_a_character(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "PIECE", size)
        assert (
            "".join(part for _, part in pieces(io.BytesIO(b"x" * 5 + text.encode()), "x")) == "xxxxx" + text
        )


def test_a_line_of_many_pieces() -> None:
    text = "é" * PIECE
    assert read(f"a\n{text}\nb".encode()) == [(1, "a"), (2, text), (3, "b")]


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"ok\ncaf\xe9 au lait\n", 2, "not UTF-8: byte 0xe9 at byte 6"),
        (b"\xef\xbb\xbfok\n\xff", 2, "byte 0xff at byte 6"),
        (b"ok\n\n\xe2\x82", 3, "byte 0xe2 at byte 4"),
        (b"ok\n" + b"x" * (PIECE - 1) + b"\xe2\x82x", 2, f"byte 0xe2 at byte {PIECE + 2}"),
        ("no\n".encode("utf-16"), 1, "a NUL byte at byte 3"),
        (b"a\nb\0c", 2, "a NUL byte at byte 3"),
        ("no\n".encode("utf-16-le"), 1, "a NUL byte at byte 1"),
    ],
)
def test_damage_is_located(data: bytes, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(data)
    assert (caught.value.path, caught.value.line) == ("x.txt", line)
    assert words in caught.value.problem
    assert "UTF-8" in str(caught.value.remedy)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv", "rows.tsv"])
@pytest.mark.parametrize("byte", [b"\0", b"\xff"])
def test_every_reader_refuses_damage(folder: Folder, name: str, byte: bytes) -> None:
    error = folder.error(name, b"\n\n" + byte)
    assert error.line == 3


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_reader_takes_marks_and_line_ends(folder: Folder, mark: bytes, end: str) -> None:
    for name, text in {
        "rows.jsonl": f"{ROW}{end}{ROW}{end}",
        "rows.json": f"[{ROW},{end}{ROW}]{end}",
        "rows.csv": f"candidate,reference{end}c,r{end}c,r{end}",
        "rows.tsv": f"candidate\treference{end}c\tr{end}c\tr{end}",
    }.items():
        examples = folder.read(name, mark + text.encode())
        assert [(e.id, e.candidate, e.references) for e in examples] == [
            ("1", "c", ("r",)),
            ("2", "c", ("r",)),
        ]
