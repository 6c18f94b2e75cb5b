"""Corrections for many tests, Williams' test, clusters of significance, and two systems on the same items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from mars_score.errors import ConfigError, InputError
from mars_score.stats.correlation import correlation
from mars_score.stats.data import Floats, numbers

# p-values of many tests, corrected for their number. None, for a test without outcome, is not counted.


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm (1979): bounds the chance of even one false finding."""
    return _corrected(p_values, _holm)


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg (1995): bounds the expected share of false findings among the findings."""
    return _corrected(p_values, lambda p: np.asarray(stats.false_discovery_control(p, method="bh")))


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    # The smallest is multiplied by their number, the next by one less; none may be below the one before it.
    corrected[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(corrected, 1.0)


def _corrected(p_values: Sequence[float | None], correct: Callable[[Floats], Floats]) -> list[float | None]:
    given = [value for value in p_values if value is not None]
    wrong = [value for value in given if not 0 <= value <= 1]
    if wrong:
        raise ConfigError(f"p-value {wrong[0]}; it must be from 0 to 1")
    corrected = iter(correct(np.array(given, dtype=np.float64)).tolist() if given else [])
    return [None if value is None else float(next(corrected)) for value in p_values]


# Williams' test (1959): do two metrics correlate differently with the same human scores?

TOO_SHORT = "too_short"
"""Too few rows: fewer than four for Williams' test, fewer than two items to compare systems."""
COLLINEAR = "collinear"
"""One metric is a linear function of the other: there is no difference to test."""
CORRELATION_UNDEFINED = "correlation_undefined"
"""A metric or the human scores are constant."""

_ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """The outcome, or why there is none."""

    t: float | None
    p_greater: float | None
    """One-sided: small where the first metric correlates better."""
    p_two_sided: float | None
    n: int
    left_out: int = 0
    reason: str | None = None
    """Why there is no outcome."""


def williams_test(first_human: float, second_human: float, first_second: float, n: int) -> WilliamsTest:
    """Test the three correlations of two metrics and people over `n` rows; t has n - 3 degrees of freedom."""
    if not all(-1 <= r <= 1 for r in (first_human, second_human, first_second)):
        raise ConfigError(
            f"correlations {first_human}, {second_human} and {first_second}; each must be from -1 to 1"
        )
    if n < 4:
        return WilliamsTest(None, None, None, n, reason=TOO_SHORT)
    determinant = (
        1 - first_human**2 - second_human**2 - first_second**2 + 2 * first_human * second_human * first_second
    )
    mean = (first_human + second_human) / 2
    variance = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean**2 * (1 - first_second) ** 3
    if variance < _ZERO or 1 + first_second < _ZERO:
        return WilliamsTest(None, None, None, n, reason=COLLINEAR)
    t = float((first_human - second_human) * np.sqrt((n - 1) * (1 + first_second) / variance))
    return WilliamsTest(t, float(stats.t.sf(t, n - 3)), float(2 * stats.t.sf(abs(t), n - 3)), n)


def compare_by_williams(
    first: Sequence[float | None] | Floats,
    second: Sequence[float | None] | Floats,
    human: Sequence[float | None] | Floats,
) -> WilliamsTest:
    """Test two metrics by their scores, on the rows where all three are given."""
    if len({len(first), len(second), len(human)}) != 1:
        raise InputError(
            f"{len(first)}, {len(second)} and {len(human)} scores", remedy="give one of each for every row"
        )
    table = np.stack([numbers(first), numbers(second), numbers(human)])
    usable = np.isfinite(table).all(axis=0)
    a, b, people = table[:, usable]
    n, left_out = len(a), int((~usable).sum())
    correlations = [correlation(*pair).value for pair in ((a, people), (b, people), (a, b))]
    if n < 4:
        return WilliamsTest(None, None, None, n, left_out, TOO_SHORT)
    if correlations[0] is None or correlations[1] is None or correlations[2] is None:
        return WilliamsTest(None, None, None, n, left_out, CORRELATION_UNDEFINED)
    return replace(williams_test(correlations[0], correlations[1], correlations[2], n), left_out=left_out)


# Metrics in clusters of significance, as in WMT's metrics tasks.


@dataclass(frozen=True, slots=True)
class Ranked:
    """A metric's place."""

    name: str
    value: float | None
    cluster: int | None
    """1 for the first cluster, 2 for the next: the "rank" of WMT. None for a metric without a value."""
    rank: int | None
    """The position of the best metric of its cluster: clusters of 3 and 2 give 1, 1, 1, 4, 4."""


def clusters(
    values: Mapping[str, float | None], p_better: Callable[[str, str], float | None], alpha: float = 0.05
) -> tuple[Ranked, ...]:
    """Rank metrics, best first; metrics without a value come last.

    `p_better(a, b)` is the one-sided p-value that a is better than b; None means that nothing was shown. It is
    asked only for an a that is above b in the list. Equal values are in the order of their names.
    """
    defined = sorted((-value, name) for name, value in values.items() if value is not None)
    ranked: list[Ranked] = []
    opened: list[str] = []
    cluster, rank = 1, 1
    for position, (negative, name) in enumerate(defined, 1):
        if any((p := p_better(above, name)) is not None and p < alpha for above in opened):
            opened, cluster, rank = [], cluster + 1, position
        opened.append(name)
        ranked.append(Ranked(name, -negative, cluster, rank))
    without = sorted(name for name, value in values.items() if value is None)
    return (*ranked, *(Ranked(name, None, None, None) for name in without))


_BLOCK = 4_000_000
"""Cells of an array that are held at a time."""
_ROUNDING = 1e-12
"""A mean that is smaller by less, as a share of the mean size of differences, counts as equally large."""


@dataclass(frozen=True, slots=True)
class TTest:
    """The paired t-test."""

    t: float
    df: int
    p: float
    """Two-sided."""


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """System A against system B; differences are A's score less B's."""

    n: int
    """Items with both scores."""
    left_out: int
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    low: float | None
    """The bootstrap interval of the difference: quantiles of the means of drawn items."""
    high: float | None
    level: float
    p_bootstrap: float | None
    """Two-sided: the share of draws that lie at least as far from the difference as 0 does."""
    p_randomisation: float | None
    """Two-sided: the share of random swaps of the systems that give at least such a difference."""
    t_test: TTest | None
    """None where all differences are equal, or there are fewer than two."""
    wins: int
    """Items where A's score is higher."""
    ties: int
    losses: int
    largest: tuple[int, ...]
    """Positions of the items with the largest differences either way, largest first."""
    draws: int
    reason: str | None = None
    """Why there are no p-values."""


def compare_systems(
    a: Sequence[float | None] | Floats,
    b: Sequence[float | None] | Floats,
    *,
    draws: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    largest: int = 5,
) -> PairedComparison:
    """Compare two systems by their scores of the same items, in the same order."""
    if len(a) != len(b):
        raise InputError(f"{len(a)} scores of A and {len(b)} of B", remedy="give one of each for every item")
    if draws < 1 or not 0 < level < 1:
        raise ConfigError(f"{draws} draws at confidence {level}; give at least 1, and between 0 and 1")
    x, y = numbers(a), numbers(b)
    usable = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    x, y = x[usable], y[usable]
    d = x - y
    n = len(d)
    top = usable[np.argsort(-np.abs(d), kind="stable")[:largest]]
    counts = int((d > 0).sum()), int((d == 0).sum()), int((d < 0).sum())
    left_out, largest_items = len(a) - n, tuple(int(index) for index in top)
    if n < 2:
        first, second, apart = (float(v[0]) if n else None for v in (x, y, d))
        nothing = None, None, level, None, None, None
        return PairedComparison(
            n, left_out, first, second, apart, *nothing, *counts, largest_items, 0, TOO_SHORT
        )
    # In an order that depends on the values alone, so that the order of items changes no draw.
    ordered = np.sort(d)
    mean = float(ordered.mean())
    drawn = _drawn(ordered, draws, seed)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return PairedComparison(
        n,
        left_out,
        float(x.mean()),
        float(y.mean()),
        mean,
        float(low),
        float(high),
        level,
        _share(drawn - mean, mean, ordered),
        _share(_flipped(ordered, draws, seed), mean, ordered),
        paired_t_test(x, y),
        *counts,
        largest_items,
        draws,
    )


def paired_t_test(a: Sequence[float | None] | Floats, b: Sequence[float | None] | Floats) -> TTest | None:
    """The paired t-test on the positions where both are given; None where it is not defined."""
    x, y = numbers(a), numbers(b)
    d = x - y
    d = d[np.isfinite(d)]
    if len(d) < 2 or np.ptp(d) <= _ROUNDING * np.abs(d).max():
        return None
    test = stats.ttest_1samp(d, 0.0)
    return TTest(float(test.statistic), len(d) - 1, float(test.pvalue))


def random_signs(rng: np.random.Generator, draws: int, n: int) -> Floats:
    """Which of two systems keeps its name on an item: 1, or -1 where they are swapped; (draws, n)."""
    return rng.integers(0, 2, size=(draws, n), dtype=np.int8).astype(np.float64) * 2 - 1


def _drawn(d: Floats, draws: int, seed: int) -> Floats:
    """Mean differences of items drawn with replacement."""
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [d[rng.integers(0, len(d), size=(size, len(d)))].mean(axis=1) for size in _sizes(d, draws)]
    )


def _flipped(d: Floats, draws: int, seed: int) -> Floats:
    """Mean differences when the systems are swapped at random on each item."""
    rng = np.random.default_rng(seed)
    return np.concatenate([random_signs(rng, size, len(d)) @ d / len(d) for size in _sizes(d, draws)])


def _sizes(d: Floats, draws: int) -> list[int]:
    """How many draws are made at a time."""
    step = max(1, _BLOCK // len(d))
    return [min(step, draws - start) for start in range(0, draws, step)]


def _share(differences: Floats, mean: float, d: Floats) -> float:
    slack = _ROUNDING * float(np.abs(d).mean())
    k = int((np.abs(differences) >= abs(mean) - slack).sum())
    return (k + 1) / (len(differences) + 1)
