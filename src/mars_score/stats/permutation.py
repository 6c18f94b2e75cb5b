"""PERM-BOTH (Deutsch, Dror and Roth 2021): does one metric correlate better with people than another?

If the two metrics were equally good, it would not matter which of them scored a row. So both are brought to
one scale (z-scores) and swapped at random on each row, that is for each item and system; p is the share of
swaps that give a difference at least as large as the real one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mars_score.errors import ConfigError, InputError
from mars_score.stats.correlation import METRIC_CONSTANT, TOO_SHORT, check_kind, check_level, is_constant
from mars_score.stats.data import Scored, take
from mars_score.stats.permutation_fast import mixed_accuracy, mixed_correlation

if TYPE_CHECKING:
    from mars_score.stats.correlation import Kind, Level
    from mars_score.stats.data import Floats
    from mars_score.stats.permutation_fast import Mixed

Statistic: TypeAlias = Literal["pearson", "spearman", "kendall", "pairwise_accuracy"]

STATISTIC_UNDEFINED = "statistic_undefined"
"""One of the metrics has no value of the statistic."""

_ROUNDING = 1e-12
"""A difference that is smaller by less counts as equally large."""


@dataclass(frozen=True, slots=True)
class EarlyStopping:
    """Stop early where the outcome is clear; the p-value is then coarse."""

    below: float = 0.02
    above: float = 0.5


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The outcome, or why there is none."""

    difference: float | None
    """The first metric's value less the second's, on the rows where both are defined."""
    p_greater: float | None
    """One-sided: small where the first metric is better. (k + 1) / (draws + 1)."""
    p_two_sided: float | None
    draws: int
    """How many swaps were made."""
    undefined_draws: int
    """Swaps without a value; they count against significance."""
    n: int
    """Rows with all three scores."""
    left_out: int
    reason: str | None = None
    """Why there is no outcome."""


def perm_both(
    first: Scored,
    second: Scored,
    level: Level = "pooled",
    statistic: Statistic = "pearson",
    *,
    draws: int = 1000,
    seed: int = 0,
    stopping: EarlyStopping | None = None,
    block: int = 100,
) -> PermutationTest:
    """Test two metrics of the same rows; ``pairwise_accuracy`` is by item whatever the level."""
    if draws < 1 or block < 1:
        raise ConfigError(f"{draws} draws in blocks of {block}; give at least 1")
    rows, other = _aligned(first, second)
    left_out = len(first) - len(rows)
    if len(rows) < 2:
        return PermutationTest(None, None, None, 0, 0, len(rows), left_out, TOO_SHORT)
    if is_constant(rows.metric) or is_constant(other):
        return PermutationTest(None, None, None, 0, 0, len(rows), left_out, METRIC_CONSTANT)
    rows, other = _standardised(rows, other)
    mixed = _mixed(rows, other, level, statistic)
    # The real difference comes from the same arithmetic as the swapped ones: so equal ones are equal.
    real = _differences(mixed(np.ones((1, len(rows)), dtype=bool)))[0]
    if not np.isfinite(real):
        return PermutationTest(None, None, None, 0, 0, len(rows), left_out, STATISTIC_UNDEFINED)

    rng = np.random.default_rng(seed)
    greater = both = undefined = done = 0
    while done < draws:
        size = min(block, draws - done)
        keep = rng.integers(0, 2, size=(size, len(rows)), dtype=np.int8).astype(bool)
        found = _differences(mixed(keep))
        lost = ~np.isfinite(found)
        found = np.where(lost, np.inf, found)
        greater += int((found >= real - _ROUNDING).sum())
        both += int((np.abs(found) >= abs(real) - _ROUNDING).sum())
        undefined += int(lost.sum())
        done += size
        if stopping and not stopping.below <= greater / done <= stopping.above:
            break
    return PermutationTest(
        float(real), (greater + 1) / (done + 1), (both + 1) / (done + 1), done, undefined, len(rows), left_out
    )


def _differences(values: Floats) -> Floats:
    return values[:, 0] - values[:, 1]


def _mixed(rows: Scored, other: Floats, level: Level, statistic: Statistic) -> Mixed:
    check_level(level)
    if statistic == "pairwise_accuracy":
        return mixed_accuracy(rows, other)
    kind: Kind = statistic
    check_kind(kind)
    return mixed_correlation(rows, other, level, kind)


def _aligned(first: Scored, second: Scored) -> tuple[Scored, Floats]:
    """The rows with all three scores, in an order that depends on their content alone."""
    same = (
        len(first) == len(second)
        and first.item_names == second.item_names
        and first.system_names == second.system_names
        and np.array_equal(first.items, second.items)
        and np.array_equal(first.systems, second.systems)
        and np.array_equal(first.human, second.human, equal_nan=True)
    )
    if not same:
        raise InputError(
            "the two metrics were not given the same rows",
            remedy="give both the same items, systems and human scores, in the same order",
        )
    order = np.lexsort((second.metric, first.metric, first.human, first.systems, first.items))
    order = order[(first.usable & second.usable)[order]]
    return take(first, order), second.metric[order]


def _standardised(rows: Scored, other: Floats) -> tuple[Scored, Floats]:
    a, b = ((values - values.mean()) / values.std() for values in (rows.metric, other))
    return Scored(a, rows.human, rows.items, rows.systems, rows.item_names, rows.system_names), b
