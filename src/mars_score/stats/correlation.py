"""Pearson's r, Spearman's rho and Kendall's tau-b, of two vectors, of many at once, and at each level of grouping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from scipy import stats

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.stats.data import Floats, Indices, Scored, groups, numbers, usable_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


Kind: TypeAlias = Literal["pearson", "spearman", "kendall"]
KINDS: tuple[Kind, ...] = get_args(Kind)

TOO_SHORT = "too_short"
"""Fewer than two rows have both scores."""
METRIC_CONSTANT = "metric_constant"
HUMAN_CONSTANT = "human_constant"
BOTH_CONSTANT = "both_constant"

NOISE = 1e-13
"""A spread below this share of the largest value is rounding error: such a vector counts as constant."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation, or why there is none."""

    value: float | None
    """From -1 to 1; None where it is not defined."""
    n: int
    """Rows that have both scores."""
    left_out: int = 0
    """Rows that lack a score."""
    reason: str | None = None
    """Why the value is None."""


def correlation(
    metric: Sequence[float | None] | Floats, human: Sequence[float | None] | Floats, kind: Kind = "pearson"
) -> Correlation:
    """Correlate two vectors; rows where either has None, NaN or an infinity are left out and counted."""
    check_kind(kind)
    if len(metric) != len(human):
        raise InputError(
            f"{len(metric)} metric scores and {len(human)} human scores", remedy="give one of each for a row"
        )
    x, y = numbers(metric), numbers(human)
    usable = np.isfinite(x) & np.isfinite(y)
    left_out = int((~usable).sum())
    x, y = x[usable], y[usable]
    reason = why_undefined(x, y)
    if reason is not None:
        return Correlation(None, len(x), left_out, reason)
    return Correlation(_value(x, y, kind), len(x), left_out)


def check_kind(kind: str) -> None:
    """Raise where there is no such correlation."""
    if kind not in KINDS:
        raise ConfigError(
            f"unknown correlation {kind!r}; there are {', '.join(KINDS)}.{did_you_mean(kind, KINDS)}"
        )


def why_undefined(x: Floats, y: Floats) -> str | None:
    """The reason why finite vectors have no correlation; None where they have one."""
    if len(x) < 2:
        return TOO_SHORT
    flat_x, flat_y = is_constant(x), is_constant(y)
    if flat_x and flat_y:
        return BOTH_CONSTANT
    if flat_x:
        return METRIC_CONSTANT
    return HUMAN_CONSTANT if flat_y else None


def is_constant(values: Floats) -> bool:
    """Whether finite values are all equal, but for rounding."""
    return bool(np.ptp(values) <= NOISE * np.abs(values).max())


def _value(x: Floats, y: Floats, kind: Kind) -> float:
    if kind == "kendall":
        return float(stats.kendalltau(x, y, variant="b").statistic)
    if kind == "spearman":
        x, y = stats.rankdata(x), stats.rankdata(y)
    return _pearson(x, y)


def _pearson(x: Floats, y: Floats) -> float:
    # Scaled before they are squared, so that neither huge nor tiny scores leave the range of a float.
    dx, dy = (v / np.abs(v).max() for v in (x - x.mean(), y - y.mean()))
    return float(np.clip((dx / np.linalg.norm(dx)) @ (dy / np.linalg.norm(dy)), -1.0, 1.0))


# Correlations with a third variable held constant, such as the length of a text.

CONTROL_DECIDES = "control_decides"
"""One of the two vectors follows from the third variable: nothing is left to correlate."""


def partial_correlation(x: Floats, y: Floats, control: Floats, kind: Kind = "pearson") -> Correlation:
    """Correlate what is left of two vectors when a third one is held constant; rows that lack a number are left out."""
    usable = np.isfinite(x) & np.isfinite(y) & np.isfinite(control)
    x, y, control = x[usable], y[usable], control[usable]
    plain = correlation(x, y, kind)
    if plain.value is None or is_constant(control):
        return replace(plain, left_out=int((~usable).sum()))
    with_x, with_y = (correlation(values, control, kind).value or 0.0 for values in (x, y))
    value = float(partial_of(*(np.array([r]) for r in (plain.value, with_x, with_y)))[0])
    defined = bool(np.isfinite(value))
    return Correlation(
        value if defined else None, len(x), int((~usable).sum()), None if defined else CONTROL_DECIDES
    )


def partial_of(xy: Floats, xz: Floats, yz: Floats) -> Floats:
    """The partial correlations of x and y from the three plain ones; NaN where z decides x or y."""
    left = (1 - xz**2) * (1 - yz**2)
    bottom = np.sqrt(np.where(left > NOISE, left, np.nan))
    return np.asarray(np.clip((xy - xz * yz) / bottom, -1.0, 1.0))


def quantile_bins(values: Floats, count: int) -> list[Indices]:
    """Part finite values into bins of about equal size; equal values share a bin, so there may be fewer bins."""
    edges = np.unique(np.quantile(values, np.arange(1, count) / count)) if len(values) else np.empty(0)
    number = np.searchsorted(edges, values, side="left")
    return [np.flatnonzero(number == code) for code in np.unique(number)]


# Correlations of many pairs of vectors at once: row by row of two arrays, NaN where undefined.

_BLOCK = 4_000_000
"""Cells of an array that are held at a time."""


def correlate_rows(x: Floats, y: Floats, kind: Kind) -> Floats:
    """Correlate each row of x (draws, n) with the same row of y (draws, n)."""
    if x.shape[1] < 2:
        return np.full(len(x), np.nan)
    undefined = _constant(x) | _constant(y)
    if kind == "spearman":
        x, y = stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)
    correlations = _kendall(x, y) if kind == "kendall" else _pearson_rows(x, y)
    return np.where(undefined, np.nan, correlations)


def _constant(values: Floats) -> NDArray[np.bool_]:
    """Which rows are constant, but for rounding."""
    return np.asarray(np.ptp(values, axis=1) <= NOISE * np.abs(values).max(axis=1))


def _pearson_rows(x: Floats, y: Floats) -> Floats:
    dx, dy = _unit(x), _unit(y)
    return np.asarray(np.clip(np.einsum("dn,dn->d", dx, dy), -1.0, 1.0))


def _unit(values: Floats) -> Floats:
    """Each row with mean 0 and length 1; zeros, or noise, where it is constant."""
    centred = values - values.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1)
    return np.asarray(centred / np.where(length > 0, length, 1.0)[:, None])


def _kendall(x: Floats, y: Floats) -> Floats:
    """Over all pairs: for short rows, such as the means of systems."""
    first, second = np.triu_indices(x.shape[1], k=1)
    step = max(1, _BLOCK // len(first))
    parts = [np.empty(0)]
    for start in range(0, len(x), step):
        a, b = x[start : start + step], y[start : start + step]
        sx, sy = np.sign(a[:, first] - a[:, second]), np.sign(b[:, first] - b[:, second])
        untied = np.abs(sx).sum(axis=1) * np.abs(sy).sum(axis=1)
        parts.append((sx * sy).sum(axis=1) / np.sqrt(np.where(untied > 0, untied, np.nan)))
    return np.concatenate(parts)


# The levels at which a metric is correlated with people.

Level: TypeAlias = Literal["pooled", "system", "item", "system_means"]
LEVELS: tuple[Level, ...] = get_args(Level)

NO_DEFINED_GROUP = "no_defined_group"
"""No system or no item has a correlation of its own."""


@dataclass(frozen=True, slots=True)
class Group:
    """One system's or one item's own correlation."""

    name: str
    correlation: Correlation


@dataclass(frozen=True, slots=True)
class LevelCorrelation:
    """A correlation at a level, or why there is none."""

    level: Level
    kind: Kind
    value: float | None
    """For ``system`` and ``item`` the plain mean over the groups that are defined."""
    n: int
    """What was correlated or averaged: rows (``pooled``), systems or items."""
    left_out: int
    """Rows that lack a score."""
    groups: tuple[Group, ...] = ()
    """Each system or item by name, defined or not; empty for ``pooled`` and ``system_means``."""
    reason: str | None = None
    """Why the value is None."""

    @property
    def undefined(self) -> Mapping[str, int]:
        """How many groups have no correlation, by reason."""
        reasons = (group.correlation.reason for group in self.groups)
        return dict(sorted(Counter(reason for reason in reasons if reason is not None).items()))


def correlate(rows: Scored, level: Level = "pooled", kind: Kind = "pearson") -> LevelCorrelation:
    """Correlate a metric with people at a level; undefined groups are left out of the mean, and named."""
    check_level(level)
    usable = usable_rows(rows)
    if level in ("pooled", "system_means"):
        pair = _means(usable) if level == "system_means" else (usable.metric, usable.human)
        result = correlation(*pair, kind)
        return LevelCorrelation(level, kind, result.value, result.n, rows.left_out, (), result.reason)
    names = rows.system_names if level == "system" else rows.item_names
    each = tuple(
        Group(name, correlation(usable.metric[chosen], usable.human[chosen], kind))
        for name, chosen in zip(names, members(usable, level), strict=True)
    )
    defined = [group.correlation.value for group in each if group.correlation.value is not None]
    if not defined:
        return LevelCorrelation(level, kind, None, 0, rows.left_out, each, NO_DEFINED_GROUP)
    return LevelCorrelation(level, kind, float(np.mean(defined)), len(defined), rows.left_out, each)


def check_level(level: str) -> None:
    """Raise where there is no such level."""
    if level not in LEVELS:
        raise ConfigError(
            f"unknown level {level!r}; there are {', '.join(LEVELS)}.{did_you_mean(level, LEVELS)}"
        )


def members(rows: Scored, level: Level) -> list[Indices]:
    """The rows of each group: one group of all for ``pooled``, else one for each name in order."""
    if level == "pooled":
        return [np.arange(len(rows))]
    if level == "item":
        return groups(rows.items, len(rows.item_names))
    return groups(rows.systems, len(rows.system_names))


def _means(rows: Scored) -> tuple[Floats, Floats]:
    """Both mean scores of each system that has a row."""
    present = [chosen for chosen in members(rows, "system") if len(chosen)]
    return (
        np.array([rows.metric[chosen].mean() for chosen in present]),
        np.array([rows.human[chosen].mean() for chosen in present]),
    )
