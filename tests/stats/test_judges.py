"""Statistics of judges: parity with scikit-learn and with regressions, hand-worked numbers, and planted biases."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from mars_score.stats.bootstrap import interval, resampled_bias, resampled_partial
from mars_score.stats.correlation import (
    CONTROL_DECIDES,
    HUMAN_CONSTANT,
    partial_correlation,
    quantile_bins,
)
from mars_score.stats.data import Floats, Scored, scored, take
from mars_score.stats.ratings import CONSTANT, NO_PAIR, NOT_ORDINAL, quadratic_kappa

RNG = np.random.default_rng(7)


def simulated(items: int = 30, systems: int = 4, seed: int = 0) -> tuple[Scored, Floats]:
    """Rows whose judge follows people and length, and their lengths."""
    random = np.random.default_rng(seed)
    n = items * systems
    length = random.integers(5, 60, n).astype(float)
    human = random.normal(size=n) + length / 40
    judge = human + length / 20 + random.normal(size=n)
    names = [f"i{i // systems}" for i in range(n)]
    return scored(judge, human, names, [f"s{i % systems}" for i in range(n)]), length


# Quadratic kappa.


def test_kappa_by_hand() -> None:
    """The mean squared difference is 0.4; by chance it would be the variances, 2.0 and 0.8, since means are equal."""
    first, second = [1, 2, 3, 4, 5], [2, 2, 3, 4, 4]
    assert quadratic_kappa(first, second).value == pytest.approx(1 - 0.4 / 2.8)
    assert quadratic_kappa([1, 2], [2, 1]).value == pytest.approx(-1.0)
    assert quadratic_kappa([1, 5, 3], [1, 5, 3]).value == pytest.approx(1.0)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), min_size=2, max_size=40))
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = quadratic_kappa(first, second)
    if len({*first, *second}) == 1:
        assert (found.value, found.reason) == (None, CONSTANT)
    else:
        expected = cohen_kappa_score(first, second, weights="quadratic", labels=list(range(1, 8)))
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_kappa_that_is_not_defined() -> None:
    assert quadratic_kappa([1, 2.5], [1, 2]).reason == NOT_ORDINAL
    assert quadratic_kappa([None, 1], [1, None]).reason == NO_PAIR
    assert quadratic_kappa([1, 2, None], [1, 2, 3]).left_out == 1


# Length held constant.


def residuals(values: Floats, control: Floats) -> Floats:
    design = np.column_stack([np.ones(len(control)), control])
    fitted: Floats = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return fitted


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_partial_is_the_correlation_of_residuals(kind: str) -> None:
    """The definition: regress both on the control, and correlate what is left (of ranks, for Spearman)."""
    rows, length = simulated()
    x, y, z = rows.metric, rows.human, length
    found = partial_correlation(x, y, z, "pearson" if kind == "pearson" else "spearman")
    if kind == "spearman":
        x, y, z = (np.asarray(stats.rankdata(one)) for one in (x, y, z))
    assert found.value == pytest.approx(stats.pearsonr(residuals(x, z), residuals(y, z)).statistic)
    assert found.n == len(rows)


def test_partial_by_hand() -> None:
    """r = .5, .6, .7: (.5 - .42) / sqrt(.64 * .51) = .1400."""
    table = np.array([[1, 0.5, 0.6], [0.5, 1, 0.7], [0.6, 0.7, 1]])
    raw = RNG.normal(size=(50, 3))
    white = np.linalg.qr(raw - raw.mean(axis=0))[0]  # columns without correlation
    x, y, z = (white @ np.linalg.cholesky(table).T).T
    assert partial_correlation(x, y, z).value == pytest.approx(0.08 / np.sqrt(0.64 * 0.51))
    assert partial_correlation(x, y, np.ones(50)).value == pytest.approx(0.5)


def test_partial_that_is_not_defined() -> None:
    z = np.arange(6.0)
    assert partial_correlation(2 * z, RNG.normal(size=6), z).reason == CONTROL_DECIDES
    assert partial_correlation(z**2, np.ones(6), z).reason == HUMAN_CONSTANT
    gap = np.array([np.nan, 1, 2, 3, 4, 9])
    assert partial_correlation(gap, RNG.normal(size=6), z).left_out == 1


def test_resampled_partial_sees_drawn_rows() -> None:
    """A draw is the statistic of the rows as often as they were drawn."""
    rows, length = simulated(12)
    weights = RNG.integers(0, 3, (5, 12)).astype(float)
    for value, weight in zip(resampled_partial(rows, length)(weights), weights, strict=True):
        chosen = np.repeat(np.arange(len(rows)), weight[rows.items].astype(int))
        drawn = take(rows, chosen)
        expected = partial_correlation(drawn.metric, drawn.human, length[chosen]).value
        assert value == pytest.approx(expected)
    whole = interval(resampled_partial(rows, length), 12, draws=200)
    assert whole.value == pytest.approx(partial_correlation(rows.metric, rows.human, length).value)


def test_bins_are_about_equal_and_keep_ties_together() -> None:
    values = RNG.integers(1, 40, 200).astype(float)
    bins = quantile_bins(values, 5)
    assert sorted(np.concatenate(bins).tolist()) == list(range(200))
    assert all(values[one].max() < values[two].min() for one, two in pairwise(bins))
    assert all(25 <= len(one) <= 55 for one in bins)
    assert len(quantile_bins(np.ones(9), 5)) == 1
    assert quantile_bins(np.empty(0), 5) == []


# Biases.


def test_bias_is_the_coefficient_of_the_regression() -> None:
    rows, length = simulated()
    marked = (length > 30).astype(float)
    design = np.column_stack([np.ones(len(rows)), rows.human, marked])
    coefficient = np.linalg.lstsq(design, rows.metric, rcond=None)[0][2] / rows.metric.std()
    statistic = resampled_bias(rows, marked)
    assert statistic(np.ones((1, 30)))[0] == pytest.approx(coefficient)
    weights = RNG.integers(0, 3, (4, 30)).astype(float)
    for value, weight in zip(statistic(weights), weights, strict=True):
        root = np.sqrt(weight[rows.items])
        drawn = np.linalg.lstsq(design * root[:, None], rows.metric * root, rcond=None)[0][2]
        assert value == pytest.approx(drawn / rows.metric.std())


@pytest.mark.parametrize("planted", [0.0, 0.8])
def test_a_planted_bias_is_found_and_an_absent_one_is_not(planted: float) -> None:
    random = np.random.default_rng(3)
    n = 400
    human, marked = random.normal(size=n), (np.arange(n) % 2).astype(float)
    judge = human + planted * marked + 0.5 * random.normal(size=n)
    rows = scored(judge, human, [str(i // 4) for i in range(n)], ["s"] * n)
    found = interval(resampled_bias(rows, marked), 100, draws=500)
    assert found.low is not None
    assert found.high is not None
    assert found.low < planted / judge.std() < found.high
    assert (found.low > 0) == (planted > 0)


def test_bias_that_is_not_defined() -> None:
    rows, _ = simulated(5)
    assert np.isnan(resampled_bias(rows, np.ones(len(rows)))(np.ones((1, 5)))).all()
    marked = (rows.items == 0).astype(float)
    without = 1.0 - np.eye(1, 5)  # a draw without any marked row
    assert np.isnan(resampled_bias(rows, marked)(without)).all()
