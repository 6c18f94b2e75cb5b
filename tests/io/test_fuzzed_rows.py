"""Ten thousand rows that were damaged at random, between good ones: each is read, or refused with its line."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.errors import InputError
from mars_score.io.readers import read_examples

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.types import Example

    from .conftest import Folder

AT_ONCE = 100
"""Rows of one example of hypothesis."""
ROW = {"candidate": 'She said "no", twice.', "references": ["Über die Brücke", "No."], "context": "1\t2"}
TOKENS = [
    b'"', b'""', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u00", b"\\ud800", b"\t", b"\r", b"\0", b" ", b"null",
    b"NaN", b"1e999", b"-", b"true", b"candidate", b"references", b"\xff", b"\xc3", b"\xef\xbb\xbf",
    b"\xf0\x9f\x8e\x89",
]  # fmt: skip


def line(name: str) -> bytes:
    """A good row as one line of a file, without the line's end."""
    if name == "rows.csv":
        return '"She said ""no"", twice.","[""Über die Brücke"", ""No.""]",1\t2'.encode()
    return json.dumps(ROW, ensure_ascii=False).encode()


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Do one to four things to a row; it stays one line."""
    for _ in range(draw.randint(1, 4)):
        start, length = draw.randrange(len(data) + 1), draw.choice([0, 1, 1, 3, 12])
        middle = draw.choice(
            [b"", draw.choice(TOKENS), bytes([draw.randrange(256)]), data[start : start + 9]]
        )
        data = data[:start] + middle + data[start + length :]
    return data.replace(b"\n", b"")


def outcome(path: Path) -> tuple[list[Example], InputError | None]:
    try:
        return list(read_examples(path)), None
    except InputError as error:
        return [], error


@pytest.mark.parametrize(("name", "examples"), [("rows.jsonl", 40), ("rows.csv", 30), ("rows.json", 30)])
def test_each_bad_row_is_named(shared_folder: Folder, name: str, examples: int) -> None:
    read = refused = 0

    @settings(max_examples=examples, deadline=None, database=None)
    @given(seed=st.integers(0, 2**32))
    def check(seed: int) -> None:
        nonlocal read, refused
        draw = random.Random(seed)
        for _ in range(AT_ONCE):
            bad = damaged(line(name), draw)
            if name == "rows.json":
                content = b",\n".join([b"[", line(name), bad, line(name)]).replace(b"[,", b"[", 1) + b"]"
                first = 3
            else:
                header = b"candidate,references,context\n" if name == "rows.csv" else b""
                content = header + b"\n".join([line(name), bad, line(name)]) + b"\n"
                first = 3 if header else 2
            result, error = outcome(shared_folder.put(name, content))
            if error is not None:
                refused += 1
                # In a list, what is missing at the end of a row shows at the start of the next one.
                allowed = (first, first + 1) if name == "rows.json" else (first,)
                assert error.line in allowed, (bad, str(error))
                assert error.remedy
                continue
            read += 1
            assert result[0].candidate == result[-1].candidate == ROW["candidate"]
            assert len(result) in (2, 3, 4), bad

    check()
    assert refused > read > 0
    assert refused + read >= examples * AT_ONCE
