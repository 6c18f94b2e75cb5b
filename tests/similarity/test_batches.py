"""Batches have one length and one height, and every row is in one of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mars_score.similarity.batches import batches, height, topped_up


@given(lengths=st.lists(st.integers(0, 40), max_size=80), tokens=st.integers(1, 100))
def test_every_row_once_among_its_like(lengths: list[int], tokens: int) -> None:
    found = list(batches(lengths, tokens))
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    for batch in found:
        assert len({lengths[index] for index in batch}) == 1
        assert 1 <= len(batch) <= height(lengths[batch[0]], tokens)
    order = [lengths[batch[0]] for batch in found]
    assert order == sorted(order, reverse=True)


@given(
    rows=st.integers(1, 30).flatmap(
        lambda length: st.lists(st.lists(st.integers(0, 9), min_size=length, max_size=length), min_size=1)
    ),
    tokens=st.integers(1, 100),
)
def test_the_shape_follows_from_the_length_alone(rows: list[list[int]], tokens: int) -> None:
    length = len(rows[0])
    batch = rows[: height(length, tokens)]
    full = topped_up(batch, tokens)
    assert len(full) == height(length, tokens)
    assert full[: len(batch)] == batch
    assert all(row == batch[0] for row in full[len(batch) :])
    assert len(full) == 1 or len(full) * length <= tokens
