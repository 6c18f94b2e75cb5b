"""Every row is in one pack, no pack is too large, and a pack is laid out as it says."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from mars_score.encoders.network import TokenPack, packs


@given(lengths=st.lists(st.integers(0, 40), max_size=80), size=st.integers(1, 100))
def test_every_row_once_and_no_room_for_another(lengths: list[int], size: int) -> None:
    found = packs(lengths, size)
    assert sorted(chain.from_iterable(found)) == list(range(len(lengths)))
    for number, pack in enumerate(found):
        total = sum(lengths[index] for index in pack)
        assert total <= size or len([index for index in pack if lengths[index]]) == 1
        later = [lengths[index] for other in found[number + 1 :] for index in other]
        assert not later or total + min(later) > size


def test_the_longest_come_first_and_short_ones_fill_the_room() -> None:
    assert packs([3, 9, 4, 9, 1, 1], 10) == [[1, 4], [3, 5], [2, 0]]


@given(
    rows=st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=12),
    size=st.integers(0, 120),
    first=st.integers(0, 2),
)
def test_rows_stand_one_behind_the_other(rows: list[list[int]], size: int, first: int) -> None:
    pack = TokenPack.of(rows, size, first)
    total = sum(map(len, rows))
    assert len(pack.ids) == len(pack.positions) == max(size, total)
    assert pack.ids[:total] == list(chain.from_iterable(rows))
    ends = [length for count, length in pack.groups for _ in range(count)]
    assert ends == [len(row) for row in rows if row] + ([size - total] if size > total else [])
    assert pack.positions == [first + place for length in ends for place in range(length)]
