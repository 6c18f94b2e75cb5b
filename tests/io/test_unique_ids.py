"""Ids that come twice are found, whatever their hashes; ids that do not are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.errors import InputError
from mars_score.io import readers
from mars_score.io.readers import unique, unique_at_once
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Folder


def numbered(names: list[str]) -> Iterator[tuple[int, Example]]:
    return ((line, Example(name, "c", ("r",))) for line, name in enumerate(names, 10))


@pytest.mark.parametrize("equal_hashes", [False, True])
@pytest.mark.parametrize("at_once", [False, True])
@settings(deadline=None)
@given(names=st.lists(st.text(max_size=2), max_size=30))
def test_like_a_set(equal_hashes: bool, at_once: bool, names: list[str]) -> None:
    def read() -> list[str]:
        result = (
            unique_at_once(numbered(names), "f")
            if at_once
            else unique(numbered(names), lambda: numbered(names), "f")
        )
        return [example.id for example in result]

    with pytest.MonkeyPatch.context() as patch:
        if equal_hashes:
            patch.setattr(readers, "_hash", len)
        twice = next((n for n, name in enumerate(names) if name in names[:n]), None)
        if twice is None:
            assert read() == names
            return
        with pytest.raises(InputError) as caught:
            read()
    first = names.index(names[twice])
    assert caught.value.line == twice + 10
    message = f"the id {names[twice]!r} is on line {first + 10} and again on line {twice + 10}"
    assert caught.value.problem == message


def test_rows_are_read_again_only_if_hashes_are_equal(folder: Folder) -> None:
    def again() -> Iterator[tuple[int, Example]]:
        raise AssertionError("read again")

    names = [str(number) for number in range(10_000)]
    assert len(list(unique(numbered(names), again, "f"))) == 10_000


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_an_id_that_is_the_number_of_another_row(folder: Folder, name: str) -> None:
    rows = {
        "rows.jsonl": '{"candidate": "c", "reference": "r"}\n\n{"id": 1, "candidate": "c", "reference": "r"}\n',
        "rows.csv": "id,candidate,reference\n,c,r\n\n1,c,r\n",
    }
    error = folder.error(name, rows[name])
    shift = name == "rows.csv"
    assert error.problem == f"the id '1' is on line {1 + shift} and again on line {3 + shift}"


def test_what_was_checked_before_is_not_checked_again(folder: Folder) -> None:
    row = '{"id": "a", "candidate": "c", "reference": "r"}\n'
    assert len(folder.read("rows.jsonl", row + row, checked=True)) == 2
