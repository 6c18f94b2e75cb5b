"""Two systems on the same items."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from mars_score.errors import ConfigError, InputError
from mars_score.stats.significance import compare_systems, paired_t_test

A = [0.8, 0.9, 0.7, 1.0, 0.6, 0.5, 0.9, 0.4]
B = [0.7, 0.6, 0.8, 0.7, 0.6, 0.2, 0.5, 0.5]


def test_what_is_counted() -> None:
    result = compare_systems([*A, None], [*B, 0.1])
    assert (result.n, result.left_out) == (8, 1)
    assert result.mean_a == pytest.approx(np.mean(A))
    assert result.mean_b == pytest.approx(np.mean(B))
    assert result.difference == pytest.approx(np.mean(A) - np.mean(B))
    assert (result.wins, result.ties, result.losses) == (5, 1, 2)
    assert result.largest[0] == 6
    assert compare_systems([None, 1.0, 5.0, 2.0], [1.0, 2.0, 5.0, 9.0], largest=2).largest == (3, 1)


def test_the_t_test_is_scipys() -> None:
    expected = stats.ttest_rel(A, B)
    result = paired_t_test(A, B)
    assert result is not None
    assert result.t == pytest.approx(expected.statistic)
    assert result.p == pytest.approx(expected.pvalue)
    assert result.df == 7
    assert compare_systems(A, B).t_test == result
    assert paired_t_test([1.0, 2.0], [0.0, 1.0]) is None  # all differences are equal
    assert paired_t_test([1.1, 2.1, 3.1], [1.0, 2.0, 3.0]) is None  # equal but for rounding
    assert paired_t_test([1.0], [0.0]) is None


def test_randomisation_against_all_swaps() -> None:
    d = np.array(A) - np.array(B)
    means = [np.mean(d * signs) for signs in product([1, -1], repeat=8)]
    exact = np.mean(np.abs(means) >= abs(d.mean()) - 1e-12)
    result = compare_systems(A, B, draws=8000)
    assert result.p_randomisation == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 8000))


def test_bootstrap_against_scipy() -> None:
    rng = np.random.default_rng(0)
    a = rng.exponential(size=80) + 0.2
    b = rng.exponential(size=80)
    drawn = stats.bootstrap((a - b,), np.mean, method="percentile", n_resamples=9999, random_state=0)
    expected = drawn.confidence_interval
    result = compare_systems(a, b, draws=9999)
    assert result.low == pytest.approx(expected.low, abs=0.03)
    assert result.high == pytest.approx(expected.high, abs=0.03)
    # An interval that just reaches 0 has a p-value of about one less its level.
    assert result.p_bootstrap is not None
    assert result.difference is not None
    moved = compare_systems(a - (result.low or 0), b, draws=9999)
    assert moved.p_bootstrap == pytest.approx(0.05, abs=0.02)


def test_false_positives_coverage_and_power() -> None:
    rng = np.random.default_rng(1)
    false = held = result = 0
    for seed in range(300):
        item = rng.normal(size=50)
        a, b = item + 0.5 * rng.normal(size=50), item + 0.5 * rng.normal(size=50)
        same = compare_systems(a, b, draws=199, seed=seed)
        better = compare_systems(a + 0.4, b, draws=199, seed=seed)
        assert same.low is not None
        assert same.high is not None
        false += (same.p_randomisation or 1) <= 0.05
        held += same.low <= 0 <= same.high
        result += (better.p_randomisation or 1) <= 0.05
    low, high = stats.binom.ppf([0.001, 0.999], 300, 0.05)
    assert low <= false <= high
    assert stats.binom.ppf(0.001, 300, 0.93) <= held
    assert result > 250


def test_the_order_of_items_does_not_matter() -> None:
    order = np.random.default_rng(2).permutation(8)
    once = compare_systems(A, B, seed=5)
    again = compare_systems([A[i] for i in order], [B[i] for i in order], seed=5)
    for field in ("difference", "low", "high", "p_bootstrap", "p_randomisation", "wins", "ties", "losses"):
        assert getattr(again, field) == getattr(once, field)
    back = compare_systems(B, A, seed=5)
    assert back.difference == pytest.approx(-(once.difference or 0))
    assert (back.wins, back.losses) == (once.losses, once.wins)


def test_many_items_are_drawn_in_blocks() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(size=50_000) + 0.01
    result = compare_systems(d, np.zeros(50_000), draws=100)
    assert result.low is not None
    assert result.high is not None
    assert result.high - result.low == pytest.approx(2 * 1.96 / np.sqrt(50_000), rel=0.3)


def test_equal_systems() -> None:
    result = compare_systems(A, A, draws=50)
    assert (result.difference, result.low, result.high) == (0.0, 0.0, 0.0)
    assert (result.p_bootstrap, result.p_randomisation, result.t_test) == (1.0, 1.0, None)


def test_no_p_value_says_why() -> None:
    result = compare_systems([1.0, None], [0.5, 0.5])
    assert (result.n, result.difference, result.p_bootstrap, result.reason) == (1, 0.5, None, "too_short")
    none = compare_systems([], [])
    assert (none.n, none.mean_a, none.largest, none.reason) == (0, None, (), "too_short")


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputError, match="1 scores of A and 2 of B"):
        compare_systems([1.0], [1.0, 2.0])
    with pytest.raises(ConfigError, match="draws"):
        compare_systems(A, B, draws=0)
    with pytest.raises(ConfigError, match="confidence"):
        compare_systems(A, B, level=95)
