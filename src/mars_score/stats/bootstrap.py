"""Confidence intervals by the bootstrap over items: the rows of an item are drawn together, or not at all.

Rows of one item share context and references, so they are not independent; items are. A draw is a row of weights:
how often each item was drawn. Sums over the drawn rows are products of the weights with sums over items, so that a
thousand draws are a few products of matrices. Two statistics of the same items and seed see the same draws, so that
their difference has an interval too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy.special import ndtr, ndtri

from mars_score.errors import ConfigError
from mars_score.stats.correlation import (
    Kind,
    Level,
    check_kind,
    check_level,
    correlate_rows,
    correlation,
    is_constant,
    members,
    partial_of,
)
from mars_score.stats.data import Floats, Indices, Scored, take, usable_rows
from mars_score.stats.pairwise import best_accuracies, curve_of, pairs_within_items

Method: TypeAlias = Literal["percentile", "bca"]

STATISTIC_UNDEFINED = "statistic_undefined"
"""The statistic has no value on the data itself."""
TOO_FEW_ITEMS = "too_few_items"
"""Fewer than two items: there is nothing to draw."""
DRAWS_UNDEFINED = "draws_undefined"
"""The statistic has no value on half of the draws or more."""

_BLOCK = 4_000_000
"""Cells of an array that are held at a time."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A statistic with its confidence interval, or why there is none."""

    value: float | None
    """The statistic on the data itself."""
    low: float | None
    high: float | None
    level: float
    """The confidence, such as 0.95."""
    draws: int
    """Draws on which the statistic has a value."""
    undefined_draws: int
    method: Method
    reason: str | None = None
    """Why there is no interval."""


def interval(
    statistic: Resampled,
    item_count: int,
    *,
    draws: int = 1000,
    level: float = 0.95,
    method: Method = "bca",
    seed: int = 0,
) -> Interval:
    """The interval of a statistic of item weights, as :mod:`mars_score.stats.bootstrap` makes them."""
    _check(draws, level, method)
    value = float(statistic(np.ones((1, item_count)))[0])
    if not np.isfinite(value):
        return Interval(None, None, None, level, 0, 0, method, STATISTIC_UNDEFINED)
    if item_count < 2:
        return Interval(value, None, None, level, 0, 0, method, TOO_FEW_ITEMS)
    drawn = statistic(draw_weights(item_count, draws, seed))
    defined = drawn[np.isfinite(drawn)]
    undefined = draws - len(defined)
    if undefined * 2 >= draws:
        return Interval(value, None, None, level, len(defined), undefined, method, DRAWS_UNDEFINED)
    without_one = _without_one(statistic, item_count) if method == "bca" else np.empty(0)
    low, high = bounds(defined, value, without_one, level, method)
    return Interval(value, low, high, level, len(defined), undefined, method)


def difference(first: Resampled, second: Resampled) -> Resampled:
    """How much the first statistic exceeds the second on the same draws."""
    return lambda weights: first(weights) - second(weights)


def draw_weights(item_count: int, draws: int, seed: int) -> Floats:
    """How often each item is drawn when as many items as there are, are drawn with replacement."""
    drawn = np.random.default_rng(seed).integers(0, item_count, size=(draws, item_count))
    cells = drawn + np.arange(draws)[:, None] * item_count
    return np.bincount(cells.ravel(), minlength=draws * item_count).reshape(draws, item_count).astype(float)


def bounds(
    draws: Floats, value: float, without_one: Floats, level: float, method: Method
) -> tuple[float, float]:
    """Both ends of the interval.

    ``percentile`` takes the quantiles of the draws. ``bca`` (Efron 1987) shifts them by the bias of the draws
    and by the skew that leaving out one item at a time (`without_one`) shows.
    """
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        tails = _shifted(tails, draws, value, without_one)
    low, high = np.quantile(draws, tails)
    return float(low), float(high)


def _shifted(tails: Floats, draws: Floats, value: float, without_one: Floats) -> Floats:
    below = (np.mean(draws < value) + np.mean(draws <= value)) / 2
    kept = without_one[np.isfinite(without_one)]
    influence = kept.sum() / max(1, len(kept)) - kept
    spread = float((influence**2).sum())
    if not 0 < below < 1 or spread == 0:
        return tails  # all draws on one side, or no item matters: plain quantiles stand
    bias = ndtri(below)
    skew = float((influence**3).sum()) / (6 * spread**1.5)
    z = bias + ndtri(tails)
    shifted: Floats = ndtr(bias + z / (1 - skew * z))
    return shifted


def _without_one(statistic: Resampled, item_count: int) -> Floats:
    """The statistic on all items but one, for each item."""
    step = max(1, _BLOCK // item_count)
    starts = range(0, item_count, step)
    return np.concatenate(
        [statistic(1.0 - np.eye(min(step, item_count - start), item_count, k=start)) for start in starts]
    )


def _check(draws: int, level: float, method: str) -> None:
    if draws < 1:
        raise ConfigError(f"{draws} draws; give at least 1")
    if not 0 < level < 1:
        raise ConfigError(f"confidence {level}; give a number between 0 and 1, such as 0.95")
    if method not in get_args(Method):
        raise ConfigError(f"unknown interval {method!r}; there are {', '.join(get_args(Method))}")


Resampled: TypeAlias = Callable[[Floats], Floats]
"""From weights (draws, items) to a value for each draw, NaN where it is undefined."""

_FLAT = 1e-12
"""A variance below this share of the mean square is rounding error."""
_RANKED = 2_000_000
"""The same where ranks are taken, which takes several arrays."""


def resampled_correlation(rows: Scored, level: Level, kind: Kind) -> Resampled:
    """The correlation at a level, as a function of how often each item was drawn."""
    check_level(level)
    check_kind(kind)
    usable = usable_rows(rows)
    if level == "system_means":
        return _of_means(usable, kind)
    if level == "item":
        return _of_items(usable, kind)
    each = [_pooled(take(usable, chosen), kind) for chosen in members(usable, level) if len(chosen)]
    return lambda weights: mean_of_defined([statistic(weights) for statistic in each], len(weights))


def resampled_partial(rows: Scored, control: Floats) -> Resampled:
    """Pearson's correlation with a third variable held constant; rows and control lack no number."""
    pairs = (rows, replace(rows, human=control), replace(rows, metric=control))
    xy, xz, zy = (_pooled(pair, "pearson") for pair in pairs)
    if is_constant(control):
        return xy
    return lambda weights: partial_of(xy(weights), xz(weights), zy(weights))


def resampled_bias(rows: Scored, marked: Floats) -> Resampled:
    """How much higher a judge scores marked rows (1) than others (0) that people rate alike.

    This is the coefficient of the mark in the regression of the judge's score on people's and the mark, in standard
    deviations of the judge's scores. Rows lack no number.
    """
    if is_constant(rows.metric) or is_constant(marked):
        return lambda weights: np.full(len(weights), np.nan)
    design = np.stack([np.ones(len(rows)), rows.human - rows.human.mean(), marked], axis=1)
    design = design[:, [True, not is_constant(rows.human), True]]
    width, judge = design.shape[1], (rows.metric - rows.metric.mean()) / rows.metric.std()
    products = (design[:, :, None] * np.column_stack([design, judge])[:, None, :]).reshape(len(rows), -1)
    sums = _by_item(rows, products)

    def values(weights: Floats) -> Floats:
        tables = (weights @ sums).reshape(len(weights), width, width + 1)
        solvable = np.linalg.matrix_rank(tables[:, :, :width], hermitian=True) == width
        effects = np.full(len(weights), np.nan)
        effects[solvable] = np.linalg.solve(tables[solvable, :, :width], tables[solvable, :, width:])[
            :, -1, 0
        ]
        return effects

    return values


def resampled_accuracy(rows: Scored) -> Resampled:
    """The tie-calibrated pairwise accuracy, as a function of how often each item was drawn."""
    usable = usable_rows(rows)
    curve = curve_of(pairs_within_items(usable), usable.metric, len(rows.item_names))
    return lambda weights: best_accuracies(curve, weights)


def mean_of_defined(values: list[Floats], draws: int) -> Floats:
    """The mean over groups for each draw, leaving out what is NaN."""
    table = np.array(values).reshape(len(values), draws)
    defined = np.isfinite(table)
    count = defined.sum(axis=0)
    means: Floats = np.where(defined, table, 0.0).sum(axis=0) / np.where(count > 0, count, np.nan)
    return means


def _of_items(rows: Scored, kind: Kind) -> Resampled:
    """A drawn item keeps its own correlation: only the mean over items changes."""
    each = [correlation(rows.metric[chosen], rows.human[chosen], kind) for chosen in members(rows, "item")]
    item_values = np.array([result.value for result in each], dtype=np.float64)  # None becomes NaN
    defined = np.isfinite(item_values)
    item_values = np.where(defined, item_values, 0.0)

    def values(weights: Floats) -> Floats:
        count = weights @ defined
        means: Floats = (weights @ item_values) / np.where(count > 0, count, np.nan)
        return means

    return values


def _pooled(rows: Scored, kind: Kind) -> Resampled:
    if is_constant(rows.metric) or is_constant(rows.human):  # equal but for rounding: no draw has a value
        return lambda weights: np.full(len(weights), np.nan)
    if kind == "kendall":
        return _kendall(rows)
    return _pearson(rows) if kind == "pearson" else _spearman(rows)


def _pearson(rows: Scored) -> Resampled:
    x, y = _standardised(rows.metric), _standardised(rows.human)
    moments = _by_item(rows, np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1))
    return lambda weights: _from_moments(*(weights @ moments).T)


def _from_moments(n: Floats, sx: Floats, sy: Floats, sxx: Floats, syy: Floats, sxy: Floats) -> Floats:
    vx, vy = n * sxx - sx**2, n * syy - sy**2
    defined = (vx > _FLAT * n * sxx) & (vy > _FLAT * n * syy)
    bottom = np.sqrt(np.where(defined, vx, np.nan)) * np.sqrt(np.where(defined, vy, np.nan))
    return np.asarray(np.clip((n * sxy - sx * sy) / bottom, -1.0, 1.0))


def _spearman(rows: Scored) -> Resampled:
    """Ranks are taken anew in each draw: a row's rank is the number of drawn rows below it and half its ties."""
    step = max(1, _RANKED // max(1, len(rows)))

    def block(weights: Floats) -> Floats:
        drawn = weights[:, rows.items]  # (draws, rows)
        x, y = _drawn_ranks(rows.metric, drawn), _drawn_ranks(rows.human, drawn)
        sums = [drawn, drawn * x, drawn * y, drawn * x * x, drawn * y * y, drawn * x * y]
        return _from_moments(*(total.sum(axis=1) for total in sums))

    def values(weights: Floats) -> Floats:
        parts = [block(weights[start : start + step]) for start in range(0, len(weights), step)]
        return np.concatenate([np.empty(0), *parts])

    return values


def _drawn_ranks(values: Floats, drawn: Floats) -> Floats:
    """Mean ranks about their middle, so that little is lost in the sums of squares."""
    _, level = np.unique(values, return_inverse=True)
    order = np.argsort(level, kind="stable")
    starts = np.flatnonzero(np.diff(level[order], prepend=-1))
    counts = np.add.reduceat(drawn[:, order], starts, axis=1)  # drawn rows at each distinct value
    below = np.cumsum(counts, axis=1) - counts
    ranks: Floats = (below + (counts - drawn.sum(axis=1, keepdims=True)) / 2)[:, level]
    return ranks


def _kendall(rows: Scored) -> Resampled:
    """Pairs are counted between items once; a draw weights them by the product of their items' weights."""
    agreeing, untied_x, untied_y = _signs_between_items(rows)
    items = np.unique(rows.items)

    def values(weights: Floats) -> Floats:
        w = weights[:, items]
        top, x, y = (((w @ pairs) * w).sum(axis=1) for pairs in (agreeing, untied_x, untied_y))
        bottom = np.sqrt(np.where(x > 0, x, np.nan)) * np.sqrt(np.where(y > 0, y, np.nan))
        return np.asarray(np.clip(top / bottom, -1.0, 1.0))

    return values


def _signs_between_items(rows: Scored) -> tuple[Floats, Floats, Floats]:
    """For each two items: concordant less discordant pairs, pairs untied in the metric, and in human scores.

    Each pair is counted twice, in both orders, which cancels in tau.
    """
    order = np.argsort(rows.items, kind="stable")
    starts = np.flatnonzero(np.diff(rows.items[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    x, y = (np.unique(v[order], return_inverse=True)[1].astype(np.int32) for v in (rows.metric, rows.human))
    counts = np.zeros((3, len(starts), len(starts)))
    for item, (start, end) in enumerate(zip(starts, ends, strict=True)):
        sx, sy = (np.sign(v[start:end, None] - v[None, :]) for v in (x, y))  # (rows of the item, rows)
        for pairs, signs in zip(counts, (sx * sy, np.abs(sx), np.abs(sy)), strict=True):
            pairs[item] = np.add.reduceat(signs.sum(axis=0), starts)
    return counts[0], counts[1], counts[2]


def _of_means(rows: Scored, kind: Kind) -> Resampled:
    systems = members(rows, "system")
    sums = [
        _by_item(rows, np.stack([np.ones(len(rows)), rows.metric, rows.human], axis=1), chosen)
        for chosen in systems
    ]

    def values(weights: Floats) -> Floats:
        drawn = np.array([weights @ item_sums for item_sums in sums]).reshape(len(systems), len(weights), 3)
        count = drawn[:, :, 0].T  # (draws, systems)
        x, y = (drawn[:, :, of].T / np.where(count > 0, count, np.nan) for of in (1, 2))
        return _whole_or_part(x, y, kind)

    return values


def _whole_or_part(x: Floats, y: Floats, kind: Kind) -> Floats:
    """Correlate rows; a system of which nothing was drawn (NaN) is left out of that row."""
    present = np.isfinite(x)
    whole = present.all(axis=1)
    correlations = np.full(len(x), np.nan)
    correlations[whole] = correlate_rows(x[whole], y[whole], kind)
    for draw in np.flatnonzero(~whole):
        here = present[draw]
        correlations[draw] = correlate_rows(x[draw, here][None], y[draw, here][None], kind)[0]
    return correlations


def _by_item(rows: Scored, values: Floats, chosen: Indices | None = None) -> Floats:
    """Sum values (rows, columns) over the rows of each item."""
    sums = np.zeros((len(rows.item_names), values.shape[1]))
    which = slice(None) if chosen is None else chosen
    np.add.at(sums, rows.items[which], values[which])
    return sums


def _standardised(values: Floats) -> Floats:
    centred = values - values.mean()
    return np.asarray(centred / np.abs(centred).max())
