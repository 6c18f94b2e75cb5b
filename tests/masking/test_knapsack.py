from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.masking.templates import budget, masks, whole


def brute_force(values: list[float], costs: list[int], limit: int) -> tuple[bool, ...]:
    """The best of all masks; of equals max() takes the first, which keeps the earliest word."""
    worths = whole(values)

    def total(amounts: list[int], mask: tuple[bool, ...]) -> int:
        return sum(amount for amount, masked in zip(amounts, mask, strict=True) if masked)

    allowed = [mask for mask in product([False, True], repeat=len(values)) if total(costs, mask) <= limit]
    return max(allowed, key=lambda mask: total(worths, mask))


# Few different values make many ties; 0.1, 0.2 and 0.3 are those that floats add up differently by order.
value = st.sampled_from([0.1, 0.2, 0.3, 0.6, 1.0]) | st.floats(0.001, 100)
items = st.lists(st.tuples(value, st.sampled_from([1, 1, 2, 3, 10])), max_size=10)


@given(items, st.lists(st.integers(0, 30), max_size=3))
def test_equals_brute_force(items: list[tuple[float, int]], budgets: list[int]) -> None:
    values, costs = [value for value, _ in items], [cost for _, cost in items]
    assert masks(values, costs, budgets) == [brute_force(values, costs, limit) for limit in budgets]


@given(st.integers(1, 12), st.integers(0, 12), st.floats(0.01, 10))
def test_of_equal_words_the_later_are_masked(count: int, limit: int, value: float) -> None:
    (mask,) = masks([value] * count, [1] * count, [limit])
    assert mask == tuple(place >= count - limit for place in range(count))


@given(items, st.integers(0, 30))
def test_cost_stays_within_the_budget(items: list[tuple[float, int]], limit: int) -> None:
    costs = [cost for _, cost in items]
    (mask,) = masks([value for value, _ in items], costs, [limit])
    assert sum(cost for cost, masked in zip(costs, mask, strict=True) if masked) <= limit
    assert limit > 0 or not any(mask)


def test_sums_of_floats_do_not_break_ties() -> None:
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    assert masks([0.1, 0.2, 0.3, 0.3, 0.2, 0.1], [1] * 6, [3]) == [(False, False, True, True, True, False)]


def test_no_words() -> None:
    assert masks([], [], [0, 3]) == [(), ()]
    assert masks([1.0], [1], []) == []


@pytest.mark.parametrize(
    ("ratio", "count", "expected"),
    [(0.58, 50, 29), (0.6, 5, 3), (0.2, 5, 1), (0.2, 4, 0), (0.7, 10, 7), (1, 9, 9)],
)
def test_budget_is_the_floor(ratio: float, count: int, expected: int) -> None:
    assert budget(ratio, count) == expected


def test_a_long_reference_is_fast() -> None:
    count = 3000
    start = time.perf_counter()
    masks(
        [1 + place % 7 / 3 for place in range(count)],
        [1 + 9 * (place % 2) for place in range(count)],
        [600, 1800],
    )
    assert time.perf_counter() - start < 2
