"""Confidence intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mars_score.errors import ConfigError
from mars_score.stats.bootstrap import (
    Method,
    Resampled,
    bounds,
    difference,
    draw_weights,
    interval,
    resampled_accuracy,
    resampled_correlation,
)
from mars_score.stats.correlation import KINDS, LEVELS, Kind, Level, correlate
from mars_score.stats.data import Floats, scored
from tests.stats.simulated import judged, rows, shuffled

METHODS: tuple[Method, ...] = ("percentile", "bca")


@pytest.mark.parametrize("method", METHODS)
def test_bounds_as_in_scipy(method: Method) -> None:
    sample = np.random.default_rng(0).exponential(size=25)  # skewed: BCa and percentile differ
    name = {"bca": "BCa", "percentile": "percentile"}[method]
    result = stats.bootstrap((sample,), np.mean, method=name, n_resamples=500, random_state=0)
    without_one = np.array([np.delete(sample, at).mean() for at in range(25)])
    low, high = bounds(result.bootstrap_distribution, float(sample.mean()), without_one, 0.95, method)
    assert low == pytest.approx(result.confidence_interval.low)
    assert high == pytest.approx(result.confidence_interval.high)


def test_draws_are_of_items_with_replacement() -> None:
    weights = draw_weights(10, 4000, 3)
    assert weights.shape == (4000, 10)
    assert (weights.sum(axis=1) == 10).all()
    # Each weight is binomial(10, 1/10): mean 1, variance 0.9.
    assert weights.mean(axis=0) == pytest.approx(np.ones(10), abs=5 * np.sqrt(0.9 / 4000))
    assert weights.var() == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_value_is_that_of_the_data(level: Level, kind: Kind) -> None:
    data = judged(np.random.default_rng(2), 30, 4, rounded=True)[0]
    result = interval(resampled_correlation(data, level, kind), 30, draws=200)
    assert result.value == pytest.approx(correlate(data, level, kind).value)
    assert result.low is not None
    assert result.high is not None
    assert result.low < result.high
    assert result.draws + result.undefined_draws == 200


def test_same_seed_same_interval_whatever_the_order_of_rows() -> None:
    rng = np.random.default_rng(4)
    data = judged(rng, 20, 3)[0]
    once = interval(resampled_correlation(data, "pooled", "pearson"), 20, seed=1)
    assert interval(resampled_correlation(shuffled(data, rng), "pooled", "pearson"), 20, seed=1) == once
    assert interval(resampled_correlation(data, "pooled", "pearson"), 20, seed=2) != once


def test_copies_of_an_items_rows_do_not_narrow_the_interval() -> None:
    data = judged(np.random.default_rng(6), 25, 2)[0]
    copied = rows(np.tile(data.metric.reshape(25, 2), 3), np.tile(data.human.reshape(25, 2), 3))
    for method in METHODS:
        once = interval(resampled_correlation(data, "pooled", "pearson"), 25, method=method)
        more = interval(resampled_correlation(copied, "pooled", "pearson"), 25, method=method)
        assert more.low == pytest.approx(once.low)
        assert more.high == pytest.approx(once.high)


def test_a_metric_does_not_differ_from_itself() -> None:
    good, bad = judged(np.random.default_rng(8), 40, 3, noise=(0.3, 3.0))
    first, other = (resampled_correlation(data, "pooled", "pearson") for data in (good, bad))
    same = interval(difference(first, first), 40)
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)
    apart = interval(difference(first, other), 40)
    assert apart.low is not None
    assert apart.low > 0


def _truth(items: int, seed: int) -> tuple[Resampled, Resampled]:
    data = judged(np.random.default_rng(seed), items, 4, rounded=True)[0]
    return resampled_correlation(data, "pooled", "pearson"), resampled_accuracy(data)


# Calibrated accuracy is a maximum, so its draws lie too high: the percentile interval misses it too often.
@pytest.mark.parametrize(("which", "method"), [(0, "percentile"), (0, "bca"), (1, "bca")])
def test_coverage(which: int, method: Method) -> None:
    # 95% intervals must hold the true value in about 95% of 200 data sets; the true value is that of many items.
    true = float(np.mean([_truth(3000, 10_000 + seed)[which](np.ones((1, 3000)))[0] for seed in range(4)]))
    held = 0
    for seed in range(200):
        result = interval(_truth(60, seed)[which], 60, draws=300, method=method, seed=seed)
        assert result.low is not None
        assert result.high is not None
        held += result.low <= true <= result.high
    low, high = stats.binom.ppf([0.0005, 0.9995], 200, 0.93)  # the bootstrap is known to be a little narrow
    assert low <= held <= high


def test_no_interval_says_why() -> None:
    flat = scored([1, 1, 1], [1, 2, 3], ["a", "b", "c"], ["x"] * 3)
    result = interval(resampled_correlation(flat, "pooled", "pearson"), 3)
    assert (result.value, result.low, result.reason) == (None, None, "statistic_undefined")
    alone = scored([1, 2, 3], [1, 3, 2], ["a"] * 3, ["x", "y", "z"])
    result = interval(resampled_correlation(alone, "pooled", "pearson"), 1)
    assert result.value == pytest.approx(0.5)
    assert (result.low, result.reason) == (None, "too_few_items")
    # One odd row among equal ones: without its item, in about a third of the draws, there is no correlation.
    odd = scored([1.0] * 9 + [2.0], [1.0] * 9 + [2.0], [f"{i}" for i in range(10)], ["x"] * 10)
    result = interval(resampled_correlation(odd, "pooled", "pearson"), 10)
    assert 250 < result.undefined_draws < 450
    assert result.low == pytest.approx(1.0)
    assert result.high == pytest.approx(1.0)
    assert result.reason is None
    rare = interval(lambda weights: np.where(weights[:, 0] == 1, 1.0, np.nan), 10)
    assert (rare.value, rare.reason) == (1.0, "draws_undefined")


def test_without_a_value_on_all_items_but_one_bca_is_the_percentile_interval() -> None:
    def statistic(weights: Floats) -> Floats:
        return np.where(weights.sum(axis=1) == 5, weights @ np.arange(5.0), np.nan)

    first, other = (interval(statistic, 5, method=method) for method in METHODS)
    assert first.low is not None
    assert (first.low, first.high) == (other.low, other.high)


def test_what_cannot_be_asked() -> None:
    for wrong in ({"draws": 0}, {"level": 95.0}, {"method": "bc"}):
        with pytest.raises(ConfigError):
            interval(lambda weights: weights.sum(axis=1), 3, **wrong)
