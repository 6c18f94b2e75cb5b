"""PERM-BOTH."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from mars_score.errors import ConfigError, InputError
from mars_score.stats import permutation
from mars_score.stats.correlation import KINDS, LEVELS, Kind, Level, correlate
from mars_score.stats.data import Scored, scored, usable_rows
from mars_score.stats.pairwise import pairwise_accuracy
from mars_score.stats.permutation import EarlyStopping, Statistic, perm_both
from tests.stats.simulated import judged, rows, shuffled, untidy


def with_metric(given: Scored, metric: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Scored:
    return Scored(metric, given.human, given.items, given.systems, given.item_names, given.system_names)


def complete(seed: int) -> tuple[Scored, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Rows with ties, and a second metric, also with ties and some scores of the first."""
    rng = np.random.default_rng(seed)
    given = usable_rows(untidy(rng, 50))
    return given, rng.integers(0, 6, len(given)).astype(np.float64)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_mixtures_one_by_one(level: Level, kind: Kind, seed: int) -> None:
    given, other = complete(seed)
    keep = np.random.default_rng(seed).random((8, len(given))) < 0.5
    result = permutation.mixed_correlation(given, other, level, kind)(keep)
    for row, (item, two) in zip(keep, result, strict=True):
        first, second = np.where(row, given.metric, other), np.where(row, other, given.metric)
        assert item == pytest.approx(correlate(with_metric(given, first), level, kind).value)
        assert two == pytest.approx(correlate(with_metric(given, second), level, kind).value)


def test_kendall_without_matrices_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    given, other = complete(4)
    keep = np.random.default_rng(4).random((8, len(given))) < 0.5
    by_matrices = permutation.mixed_correlation(given, other, "pooled", "kendall")(keep)
    monkeypatch.setattr(permutation, "_MATRIX", 0)
    one_by_one = permutation.mixed_correlation(given, other, "pooled", "kendall")(keep)
    np.testing.assert_allclose(by_matrices, one_by_one, atol=1e-12)


def test_accuracies_one_by_one() -> None:
    given, other = complete(5)
    keep = np.random.default_rng(5).random((8, len(given))) < 0.5
    result = permutation.mixed_accuracy(given, other)(keep)
    for row, (item, two) in zip(keep, result, strict=True):
        first, second = np.where(row, given.metric, other), np.where(row, other, given.metric)
        assert item == pytest.approx(pairwise_accuracy(with_metric(given, first)).value)
        assert two == pytest.approx(pairwise_accuracy(with_metric(given, second)).value)


def test_p_against_all_possible_swaps() -> None:
    # The eight rows of mt-metrics-eval's tests, without averaging: all 256 swaps by hand.
    human = np.array([1.0, 2, 3, 4, 5, 5, 7, 8])
    a, b = np.array([2.0, 1, 2, 6, 8, 8, 7, 6]), np.array([1.0, 2, 3, 3, 7, 3, 5, 5])
    first, second = (rows(metric.reshape(2, 4), human.reshape(2, 4)) for metric in (a, b))
    real = stats.pearsonr(a, human).statistic - stats.pearsonr(b, human).statistic
    za, zb = stats.zscore(a), stats.zscore(b)
    swaps = []
    for choice in product([True, False], repeat=8):
        one_way, other_way = np.where(choice, za, zb), np.where(choice, zb, za)
        swaps.append(stats.pearsonr(one_way, human).statistic - stats.pearsonr(other_way, human).statistic)
    exact_greater = np.mean(np.array(swaps) >= real - 1e-12)
    exact_both = np.mean(np.abs(swaps) >= abs(real) - 1e-12)

    result = perm_both(first, second, draws=4000)
    assert result.difference == pytest.approx(real)
    assert result.p_greater == pytest.approx(exact_greater, abs=4 * np.sqrt(0.25 / 4000))
    assert result.p_two_sided == pytest.approx(exact_both, abs=4 * np.sqrt(0.25 / 4000))


@pytest.mark.parametrize(
    ("level", "statistic"),
    [("pooled", "pearson"), ("item", "kendall"), ("system", "spearman"), ("item", "pairwise_accuracy")],
)
def test_equally_good_metrics_are_seldom_told_apart(level: Level, statistic: Statistic) -> None:
    sets, draws = (40, 39) if statistic == "pairwise_accuracy" else (300, 99)
    results = []
    for seed in range(sets):
        first, second = judged(np.random.default_rng(seed), 20, 4, noise=(1.0, 1.0))
        test = perm_both(first, second, level, statistic, draws=draws, seed=seed)
        assert test.p_greater is not None
        results.append(test.p_greater)
    for alpha in (0.05, 0.5):
        false = sum(p <= alpha for p in results)
        low, high = stats.binom.ppf([0.001, 0.999], sets, alpha)
        assert low <= false <= high


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("statistic", [*KINDS, "pairwise_accuracy"])
def test_a_much_better_metric_is_found(level: Level, statistic: Statistic) -> None:
    good, bad = judged(np.random.default_rng(9), 40, 8, noise=(0.2, 4.0))
    if level == "system_means":
        # The means of systems are good for both; that is for a worse one.
        bad = with_metric(bad, -good.metric)
    better = perm_both(good, bad, level, statistic, draws=99)
    worse = perm_both(bad, good, level, statistic, draws=99)
    assert better.p_greater is not None
    assert worse.p_greater is not None
    assert better.p_greater <= 0.02
    assert better.p_two_sided is not None
    assert better.p_two_sided <= 0.04
    assert worse.p_greater > 0.9
    assert worse.p_two_sided is not None
    assert worse.p_two_sided <= 0.04
    assert better.difference == pytest.approx(-(worse.difference or 0))


def test_p_is_never_zero_and_equal_metrics_have_p_one() -> None:
    good, bad = judged(np.random.default_rng(10), 40, 4, noise=(0.1, 9.0))
    assert perm_both(good, bad, draws=19).p_greater == 1 / 20
    same = perm_both(good, with_metric(good, good.metric * 3 + 1), draws=50)
    assert same.difference == pytest.approx(0, abs=1e-12)
    assert (same.p_greater, same.p_two_sided) == (1.0, 1.0)


def test_same_seed_same_p_whatever_the_order_of_rows_and_the_blocks() -> None:
    rng = np.random.default_rng(11)
    first, second = judged(rng, 15, 3, noise=(1.0, 1.3))
    once = perm_both(first, second, "item", "kendall", draws=300, seed=3)
    # Both metrics in another order, but in the same one.
    first_shuffled, second_shuffled = (shuffled(given, np.random.default_rng(1)) for given in (first, second))
    assert perm_both(first_shuffled, second_shuffled, "item", "kendall", draws=300, seed=3) == once
    assert perm_both(first, second, "item", "kendall", draws=300, seed=4) != once


def test_early_stop() -> None:
    good, bad = judged(np.random.default_rng(12), 40, 4, noise=(0.1, 9.0))
    clear = perm_both(good, bad, draws=1000, stopping=EarlyStopping())
    assert clear.draws == 100
    assert clear.p_greater == 1 / 101
    assert perm_both(bad, good, draws=1000, stopping=EarlyStopping()).draws == 100
    assert perm_both(good, bad, draws=1000, stopping=EarlyStopping(below=0.0)).draws == 1000
    assert perm_both(good, bad, draws=250).draws == 250


def test_rows_that_lack_a_score_of_either_metric_are_left_out() -> None:
    first, second = judged(np.random.default_rng(13), 10, 3, noise=(1.0, 2.0))
    a, b, human = first.metric.copy(), second.metric.copy(), first.human.copy()
    a[0] = b[1] = human[2] = np.nan
    names = [first.item_names[i] for i in first.items], [first.system_names[s] for s in first.systems]
    holed = perm_both(scored(a, human, *names), scored(b, human, *names), "item", "kendall", draws=50)
    assert (holed.n, holed.left_out) == (27, 3)
    rest = [slice(3, None)]
    names = names[0][3:], names[1][3:]
    short = [scored(m[rest[0]], human[3:], *names) for m in (a, b)]
    assert holed.difference == pytest.approx(perm_both(short[0], short[1], "item", "kendall").difference)


def test_no_outcome_says_why() -> None:
    names = (["a", "a", "b"], ["x", "y", "x"])
    plain, flat = scored([1, 2, 3], [1, 2, 2], *names), scored([5, 5, 5], [1, 2, 2], *names)
    assert perm_both(plain, flat).reason == "metric_constant"
    none = scored([None, None, 3], [1, 2, 2], *names)
    assert perm_both(plain, none).reason == "too_short"
    liked = [scored(metric, [4, 4, 4], *names) for metric in ([1, 2, 3], [3, 1, 2])]
    result = perm_both(liked[0], liked[1])
    assert (result.difference, result.p_greater, result.reason) == (None, None, "statistic_undefined")


def test_swaps_without_a_value_count_against_significance() -> None:
    # Two rows: where one metric keeps its score and the other does not, a mixture may be constant.
    names = (["a", "a"], ["x", "y"])
    first, second = scored([0, 1], [0, 1], *names), scored([1, 0], [0, 1], *names)
    result = perm_both(first, second, draws=400)
    assert 140 < result.undefined_draws < 260
    assert result.p_greater == pytest.approx(0.75, abs=0.1)


def test_what_cannot_be_asked() -> None:
    first, second = judged(np.random.default_rng(14), 4, 2, noise=(1.0, 1.0))
    with pytest.raises(InputError, match="same rows"):
        perm_both(first, judged(np.random.default_rng(15), 4, 2)[0])
    with pytest.raises(ConfigError, match="draws"):
        perm_both(first, second, draws=0)
    with pytest.raises(ConfigError, match="kendal"):
        perm_both(first, second, statistic="kendal")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="level"):
        perm_both(first, second, "row")  # type: ignore[arg-type]
