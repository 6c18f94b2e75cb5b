"""Soft pairwise accuracy."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mars_score.errors import ConfigError
from mars_score.stats.data import scored
from mars_score.stats.pairwise import soft_pairwise_accuracy
from tests.stats.simulated import judged, rows, shuffled

if TYPE_CHECKING:
    from mars_score.stats.data import Floats


def p_value(a: Floats, b: Floats) -> float:
    """One-sided, over all swaps."""
    d = a - b
    sums = [float((d * signs).sum()) for signs in product([1, -1], repeat=len(d))]
    return float(np.mean([total >= d.sum() - 1e-12 for total in sums]))


def test_against_all_swaps() -> None:
    data = judged(np.random.default_rng(0), 9, 4, noise=(2.0,), rounded=True)[0]
    metric, human = data.metric.reshape(9, 4), data.human.reshape(9, 4)
    errors = [
        abs(p_value(metric[:, a], metric[:, b]) - p_value(human[:, a], human[:, b]))
        for a, b in combinations(range(4), 2)
    ]
    result = soft_pairwise_accuracy(data, draws=20_000)
    assert result.value == pytest.approx(1 - np.mean(errors), abs=0.01)
    assert (result.systems, result.pairs) == (4, 6)


def test_the_best_and_the_worst_metric() -> None:
    data = judged(np.random.default_rng(1), 60, 3, noise=(0.1,))[0]
    apart = data.human.reshape(60, 3) + 5 * np.arange(3)  # people are sure of the order of systems
    assert soft_pairwise_accuracy(rows(apart * 2 + 1, apart)).value == 1.0
    worst = soft_pairwise_accuracy(rows(-apart, apart)).value
    assert worst == pytest.approx(0.0, abs=0.01)


def test_systems_that_people_find_equal() -> None:
    # No swap changes a difference of 0, so p is 1; a metric that is sure of the first is then wrong.
    equal = np.ones((12, 2)) * np.arange(12)[:, None]
    sure = equal + np.array([1.0, 0.0])
    assert soft_pairwise_accuracy(rows(equal, equal)).value == 1.0
    assert soft_pairwise_accuracy(rows(sure, equal)).value == pytest.approx(0.0, abs=0.01)


def test_pairs_use_the_items_that_both_systems_have() -> None:
    rng = np.random.default_rng(2)
    metric, human = rng.normal(size=(12, 3)), rng.normal(size=(12, 3))
    metric[3, 0] = np.nan
    human[5, 0] = np.nan
    result = soft_pairwise_accuracy(rows(metric, human), draws=4000)
    assert result.left_out == 2
    errors = []
    for a, b in combinations(range(3), 2):
        both = [i for i in range(12) if a != 0 or i not in (3, 5)]
        errors.append(
            abs(p_value(metric[both, a], metric[both, b]) - p_value(human[both, a], human[both, b]))
        )
    assert result.value == pytest.approx(1 - np.mean(errors), abs=0.03)


def test_rows_of_a_cell_count_by_their_mean() -> None:
    twice = scored([1, 3, 0, 5], [1, 1, 4, 2], ["a", "a", "a", "b"], ["x", "x", "y", "x"])
    once = scored([2, 0, 5], [1, 4, 2], ["a", "a", "b"], ["x", "y", "x"])
    assert soft_pairwise_accuracy(twice) == soft_pairwise_accuracy(once)


def test_seed_and_order() -> None:
    rng = np.random.default_rng(3)
    data = judged(rng, 15, 4, noise=(3.0,))[0]
    once = soft_pairwise_accuracy(data, seed=1)
    assert soft_pairwise_accuracy(shuffled(data, rng), seed=1) == once
    assert soft_pairwise_accuracy(data, seed=2) != once


def test_undefined_says_why() -> None:
    for apart in (scored([], [], [], []), scored([1, 2], [1, 2], ["a", "b"], ["x", "y"])):
        result = soft_pairwise_accuracy(apart)
        assert (result.value, result.pairs, result.reason) == (None, 0, "no_pair")
    with pytest.raises(ConfigError, match="draws"):
        soft_pairwise_accuracy(scored([], [], [], []), draws=0)
