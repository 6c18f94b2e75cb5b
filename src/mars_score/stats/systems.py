"""Two systems on the same items: is the difference of their mean scores more than chance?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from mars_score.errors import ConfigError, InputError
from mars_score.stats.data import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.stats.data import Floats

TOO_SHORT = "too_short"
"""Fewer than two items have both scores."""

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
    left_out, places = len(a) - n, tuple(int(place) for place in top)
    if n < 2:
        first, second, apart = (float(v[0]) if n else None for v in (x, y, d))
        nothing = None, None, level, None, None, None
        return PairedComparison(n, left_out, first, second, apart, *nothing, *counts, places, 0, TOO_SHORT)
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
        places,
        draws,
    )


def paired_t_test(a: Sequence[float | None] | Floats, b: Sequence[float | None] | Floats) -> TTest | None:
    """The paired t-test on the positions where both are given; None where it is not defined."""
    x, y = numbers(a), numbers(b)
    d = x - y
    d = d[np.isfinite(d)]
    if len(d) < 2 or np.ptp(d) <= _ROUNDING * np.abs(d).max():
        return None
    found = stats.ttest_1samp(d, 0.0)
    return TTest(float(found.statistic), len(d) - 1, float(found.pvalue))


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


def _share(found: Floats, mean: float, d: Floats) -> float:
    slack = _ROUNDING * float(np.abs(d).mean())
    k = int((np.abs(found) >= abs(mean) - slack).sum())
    return (k + 1) / (len(found) + 1)
