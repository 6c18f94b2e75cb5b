"""PERM-BOTH (Deutsch, Dror and Roth 2021): does one metric correlate better with people than another?

If the two metrics were equally good, it would not matter which of them scored a row. So both are brought to
one scale (z-scores) and swapped at random on each row, that is for each item and system; p is the share of
swaps that give a difference at least as large as the real one.

A draw is a row of booleans: on which rows the two metrics keep their scores. For each draw there are two
mixtures, and both are correlated with people. Values are (draws, 2), NaN where they are undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mars_score.errors import ConfigError, InputError
from mars_score.stats.bootstrap import mean_of_defined
from mars_score.stats.correlation import (
    METRIC_CONSTANT,
    TOO_SHORT,
    Kind,
    Level,
    check_kind,
    check_level,
    correlate_rows,
    correlation,
    is_constant,
    members,
)
from mars_score.stats.data import Floats, Scored, take
from mars_score.stats.pairwise import best_accuracies, curve_of, pairs_within_items

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
    a, b = ((values - values.mean()) / values.std() for values in (rows.metric, other))
    rows, other = replace(rows, metric=a), b
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
        differences = _differences(mixed(keep))
        lost = ~np.isfinite(differences)
        differences = np.where(lost, np.inf, differences)
        greater += int((differences >= real - _ROUNDING).sum())
        both += int((np.abs(differences) >= abs(real) - _ROUNDING).sum())
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


Bools: TypeAlias = NDArray[np.bool_]
Mixed: TypeAlias = Callable[[Bools], Floats]
"""From rows to keep (draws, rows) to the values of both mixtures (draws, 2)."""

_FEW = 50
"""Rows of an item up to which items of one size are computed at once; larger ones fill the processor by themselves."""
_MATRIX = 4000
"""Rows up to which Kendall's tau goes by matrices of rows by rows; beyond, memory matters more than time."""


def mixed_correlation(rows: Scored, other: Floats, level: Level, kind: Kind) -> Mixed:
    """The correlations of mixtures of `rows.metric` and `other` with people, at a level."""
    if level == "system_means":
        return _of_means(rows, other, kind)
    each = [chosen for chosen in members(rows, level) if len(chosen) > 1]
    inside = []
    for groups in _group_batches(each, kind):
        chosen = np.stack([each[group] for group in groups])  # (groups, n)
        inside.append(
            (groups, chosen, _in_groups(rows.metric[chosen], other[chosen], rows.human[chosen], kind))
        )

    def values(keep: Bools) -> Floats:
        group_values = np.empty((len(each), len(keep), 2))
        for groups, chosen, several in inside:
            group_values[groups] = several(keep[:, chosen])
        sides = [mean_of_defined(list(group_values[:, :, side]), len(keep)) for side in (0, 1)]
        return np.stack(sides, axis=1)

    return values


def _group_batches(each: Sequence[NDArray[np.intp]], kind: Kind) -> list[list[int]]:
    """Which groups are computed at once: for Kendall's tau all of one size, as there may be hundreds of a few rows."""
    sizes: dict[tuple[int, int], list[int]] = {}
    for group, chosen in enumerate(each):
        alone = kind != "kendall" or len(chosen) > _FEW
        sizes.setdefault((len(chosen), group if alone else -1), []).append(group)
    return list(sizes.values())


def mixed_accuracy(rows: Scored, other: Floats) -> Mixed:
    """The tie-calibrated pairwise accuracies of mixtures; epsilon is calibrated for each mixture."""
    pairs = pairs_within_items(rows)
    every = np.ones((1, len(rows.item_names)))

    def accuracy(metric: Floats) -> float:
        return float(best_accuracies(curve_of(pairs, metric, len(rows.item_names)), every)[0])

    def values(keep: Bools) -> Floats:
        both = [mixtures(rows.metric, other, row[None]) for row in keep]
        return np.array([[accuracy(a[0]), accuracy(b[0])] for a, b in both]).reshape(len(keep), 2)

    return values


def mixtures(a: Floats, b: Floats, keep: Bools) -> tuple[Floats, Floats]:
    """Both mixtures, each (draws, rows)."""
    return np.where(keep, a, b), np.where(keep, b, a)


def _in_groups(a: Floats, b: Floats, human: Floats, kind: Kind) -> Mixed:
    """For scores (groups, n): from rows to keep (draws, groups, n) to values (groups, draws, 2)."""
    if kind == "kendall" and a.shape[1] <= _MATRIX:
        return _kendall(a, b, human)
    ((a, b, human),) = zip(a, b, human, strict=True)  # the others come one by one

    def values(keep: Bools) -> Floats:
        both = mixtures(a, b, keep[:, 0])
        if kind == "kendall":
            taus = [[correlation(row, human, kind).value for row in side] for side in both]
            return np.asarray(np.array(taus, dtype=np.float64).T)[None]
        beside = np.broadcast_to(human, keep[:, 0].shape)
        return np.stack([correlate_rows(side, beside, kind) for side in both], axis=1)[None]

    return values


def _kendall(a: Floats, b: Floats, human: Floats) -> Mixed:
    """Tau-b by products of matrices: whether two rows agree depends only on which metric each row has.

    With k = 1 where a row keeps its score and s = 1 - k, the concordant less the discordant pairs of the first
    mixture are k AA k + 2 k AB s + s BB s, where AB holds the agreement of a's score of one row and b's of
    another with people. All sums are whole numbers, and far below 2^24 while they are float32: exact.
    """
    order = np.sign(human[:, :, None] - human[:, None]).astype(np.float32)  # (g, n, n)
    aa, ab, bb = (
        np.sign(p[:, :, None] - q[:, None]).astype(np.float32) * order for p, q in ((a, a), (a, b), (b, b))
    )
    untied = np.abs(order).sum(axis=(1, 2), dtype=np.float64)[:, None]  # (g, 1)

    def values(keep: Bools) -> Floats:
        keep = keep.swapaxes(0, 1)  # (g, draws, n)
        k = keep.astype(np.float32)
        s = 1 - k
        k_aa, k_ab, k_bb = k @ aa, k @ ab, k @ bb  # (g, draws, n)
        s_aa, s_ab, s_bb = (
            whole.sum(axis=1, keepdims=True) - kept for whole, kept in ((aa, k_aa), (ab, k_ab), (bb, k_bb))
        )
        first = _dot(k_aa, k) + 2 * _dot(k_ab, s) + _dot(s_bb, s)  # (g, draws)
        second = _dot(s_aa, s) + 2 * _dot(s_ab, k) + _dot(k_bb, k)
        first_mixture, second_mixture = mixtures(a[:, None], b[:, None], keep)
        return np.stack(
            [_tau(first, _untied(first_mixture), untied), _tau(second, _untied(second_mixture), untied)],
            axis=2,
        )

    return values


def _dot(x: NDArray[np.float32], y: NDArray[np.float32]) -> Floats:
    """Row by row, in float64."""
    return np.asarray(np.einsum("gdn,gdn->gd", x, y, dtype=np.float64), dtype=np.float64)


def _tau(agreeing: Floats, untied: Floats, untied_human: Floats) -> Floats:
    bottom = np.sqrt(untied) * np.sqrt(untied_human)
    return np.clip(agreeing / np.where(bottom > 0, bottom, np.nan), -1.0, 1.0)


def _untied(values: Floats) -> Floats:
    """Ordered pairs of unequal values in each row (the last axis)."""
    ordered = np.sort(values, axis=-1)
    n = values.shape[-1]
    positions = np.arange(n)
    new = np.ones(values.shape, dtype=bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    run = np.maximum.accumulate(np.where(new, positions, 0), axis=-1)  # where the run of equal values began
    tied = (positions - run).sum(axis=-1)
    return np.asarray(n * (n - 1) - 2.0 * tied)


def _of_means(rows: Scored, other: Floats, kind: Kind) -> Mixed:
    each = [chosen for chosen in members(rows, "system") if len(chosen)]
    human = np.array([rows.human[chosen].mean() for chosen in each])

    def values(keep: Bools) -> Floats:
        parts = [mixtures(rows.metric[chosen], other[chosen], keep[:, chosen]) for chosen in each]
        sides = [np.array([part[side].mean(axis=1) for part in parts]).T for side in (0, 1)]
        beside = np.broadcast_to(human, (len(keep), len(each)))
        return np.stack([correlate_rows(side, beside, kind) for side in sides], axis=1)

    return values
