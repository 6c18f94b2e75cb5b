"""Batches have one length and one height, and every row is in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from hypothesis import given
from hypothesis import strategies as st

from mars_score.encoders import products
from mars_score.encoders.network import Heights, batches, topped_up

if TYPE_CHECKING:
    import pytest


@given(lengths=st.lists(st.integers(0, 40), max_size=80), tokens=st.integers(1, 100))
def test_every_row_once_among_its_like(lengths: list[int], tokens: int) -> None:
    height = Heights([], tokens)
    found = list(batches(lengths, height))
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    for batch in found:
        assert len({lengths[index] for index in batch}) == 1
        assert 1 <= len(batch) <= height(lengths[batch[0]])
    order = [lengths[batch[0]] for batch in found]
    assert order == sorted(order, reverse=True)


@given(
    rows=st.integers(1, 30).flatmap(
        lambda length: st.lists(st.lists(st.integers(0, 9), min_size=length, max_size=length), min_size=1)
    ),
    tokens=st.integers(1, 100),
)
def test_the_shape_follows_from_the_length_alone(rows: list[list[int]], tokens: int) -> None:
    length, height = len(rows[0]), Heights([], tokens)
    batch = rows[: height(length)]
    full = topped_up(batch, height)
    assert len(full) == height(length)
    assert full[: len(batch)] == batch
    assert all(row == batch[0] for row in full[len(batch) :])
    assert len(full) == 1 or len(full) * length <= tokens


def test_rows_go_alone_where_their_place_in_the_batch_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = products.products_of(torch.nn.Linear(8, 4).requires_grad_(requires_grad=False))
    whole = products.multiply

    def rounded(rows: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        """A product that treats rows in pairs, and the last one of an odd number apart."""
        found = whole(rows, *rest)
        found[len(rows) // 2 * 2 :] *= 1 + 1e-6
        return found

    monkeypatch.setattr(products, "multiply", rounded)
    heights = Heights(layers, 24)
    assert [heights(length) for length in (0, 1, 2, 3, 5, 7, 24, 30)] == [24, 24, 12, 8, 4, 1, 1, 1]
    assert list(batches([7, 7, 2], heights.of([7, 2]))) == [[0], [1], [2]]
