"""Reading a sheet: what is refused, and what does not matter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import InputError
from mars_score.web.rating.sheet import read_sheet
from tests.web.rating.samples import rows, write_sheet

if TYPE_CHECKING:
    from pathlib import Path


def test_texts_as_they_were_written(tmp_path: Path) -> None:
    made = [replace(row, text=f'{row.text} "Quoted", twice,\nover two lines.') for row in rows()]
    sheet = read_sheet(write_sheet(tmp_path, made))
    assert [(text.code, text.context, text.text) for text in sheet.texts] == [
        (row.code, row.context, row.text) for row in made
    ]


def test_the_hash_is_of_the_texts_alone(tmp_path: Path) -> None:
    made = rows()
    first = read_sheet(write_sheet(tmp_path, made))
    again = read_sheet(write_sheet(tmp_path, made[::-1], "copy"))
    saved = tmp_path / "crlf.csv"
    saved.write_bytes(b"\xef\xbb\xbf" + first.path.read_bytes().replace(b"\n", b"\r\n"))
    assert first.hash == again.hash == read_sheet(saved).hash
    other = read_sheet(write_sheet(tmp_path, [replace(made[0], text="Something else."), *made[1:]], "other"))
    fewer = read_sheet(write_sheet(tmp_path, made[1:], "fewer"))
    assert len({first.hash, other.hash, fewer.hash}) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,context,text\n1,a,b\n", ":1: there is no column 'code'"),
        ("\n\ncode,text\n1,b\n", ":3: there is no column 'context'"),
        ("code,context,text\n1,a,b\n1,c\n", ":3: the row has 2 cells, but the header has 3"),
        ("code,context,text\n1,a,b\n2,c,d\n1,e,f\n", ":4: the code '1' is on line 2 and again on line 4"),
        ("code,context,text\n ,a,b\n", ":2: the code is empty"),
        ("code,context,text\n", "there are no rows below the header"),
        ("", ":1: there is no column 'code'"),
        ('code,context,text\n1,"a,b\n', ":2: a quote is opened in this row and never closed"),
    ],
)
def test_what_is_no_sheet(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(content)
    with pytest.raises(InputError) as raised:
        read_sheet(path)
    assert str(raised.value).startswith(str(path))
    assert message in str(raised.value)
    assert "remedy: " in str(raised.value)


def test_no_such_sheet(tmp_path: Path) -> None:
    write_sheet(tmp_path, rows())
    with pytest.raises(InputError, match=r"no such file[\s\S]*Did you mean 'sheet.csv'"):
        read_sheet(tmp_path / "sheat.csv")
