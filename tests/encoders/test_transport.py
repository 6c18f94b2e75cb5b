"""The earth mover's distance on problems worked by hand, and against another solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.metrics.matching import Bag, bag, distance
from tests.encoders.plain_transport import plain_distance

if TYPE_CHECKING:
    from collections.abc import Sequence


def made(points: Sequence[Sequence[float]], weights: Sequence[float]) -> Bag:
    return bag(np.array(points, np.float64), np.array(weights, np.float64))


@st.composite
def bags(draw: st.DrawFn) -> Bag:
    size = draw(st.integers(1, 6))
    whole = st.integers(-5, 5)
    points = draw(st.lists(st.tuples(whole, whole, whole), min_size=size, max_size=size))
    weights = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    return made(points, [float(weight) for weight in weights])


def test_by_hand() -> None:
    # Two heaps of 1/2 at 0 and 4 on a line; holes of 1/4, 1/2 and 1/4 at 0, 1 and 4. The outer holes are
    # filled from where they are; the middle one takes 1/4 from 0 (a way of 1) and 1/4 from 4 (a way of 3).
    assert distance(made([[0], [4]], [1, 1]), made([[0], [1], [4]], [1, 2, 1])) == pytest.approx(1)
    # One heap at the corner of a 3-4-5 triangle, one hole at each of the others.
    assert distance(made([[0, 0]], [7]), made([[3, 0], [3, 4]], [1, 3])) == pytest.approx(3 / 4 + 5 * 3 / 4)
    # The nearest hole is not always the right one: 0 -> 1 and 2 -> 3 cost 1, 2 -> 1 and 0 -> 3 cost 2.
    assert distance(made([[0], [2]], [1, 1]), made([[1], [3]], [1, 1])) == pytest.approx(1)


@settings(max_examples=60, deadline=None)
@given(bags(), bags())
def test_against_a_linear_program(a: Bag, b: Bag) -> None:
    assert distance(a, b) == pytest.approx(plain_distance(a, b), abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(bags(), bags(), bags())
def test_it_is_a_distance(a: Bag, b: Bag, c: Bag) -> None:
    assert distance(a, a) == 0
    assert distance(a, b) == pytest.approx(distance(b, a), abs=1e-9)
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-9
    order = np.arange(len(a.weights))[::-1]
    assert distance(Bag(a.vectors[order], a.weights[order]), b) == pytest.approx(distance(a, b), abs=1e-9)
