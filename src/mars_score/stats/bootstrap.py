"""Confidence intervals by the bootstrap over items: the rows of an item are drawn together, or not at all.

Rows of one item share context and references, so they are not independent; items are. Two statistics of the
same items and seed see the same draws, so that their difference has an interval too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from scipy.special import ndtr, ndtri

from mars_score.errors import ConfigError
from mars_score.stats.data import take

if TYPE_CHECKING:
    from collections.abc import Callable

    from mars_score.stats.bootstrap_fast import Resampled
    from mars_score.stats.data import Floats, Scored

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
    """The interval of a statistic of item weights, as :mod:`mars_score.stats.bootstrap_fast` makes them."""
    _check(draws, level, method)
    value = float(statistic(np.ones((1, item_count)))[0])
    if not np.isfinite(value):
        return Interval(None, None, None, level, 0, 0, method, STATISTIC_UNDEFINED)
    if item_count < 2:
        return Interval(value, None, None, level, 0, 0, method, TOO_FEW_ITEMS)
    found = statistic(draw_weights(item_count, draws, seed))
    defined = found[np.isfinite(found)]
    undefined = draws - len(defined)
    if undefined * 2 >= draws:
        return Interval(value, None, None, level, len(defined), undefined, method, DRAWS_UNDEFINED)
    without_one = _without_one(statistic, item_count) if method == "bca" else np.empty(0)
    low, high = bounds(defined, value, without_one, level, method)
    return Interval(value, low, high, level, len(defined), undefined, method)


def difference(one: Resampled, other: Resampled) -> Resampled:
    """How much the first statistic exceeds the second on the same draws."""
    return lambda weights: one(weights) - other(weights)


def of_rows(rows: Scored, statistic: Callable[[Scored], float | None]) -> Resampled:
    """Any statistic of rows as a function of weights: slow, since it repeats the rows for each draw.

    Copies of an item are items of their own, as they would be if they had been collected twice.
    """

    def one(weights: Floats) -> float:
        copies = weights[rows.items].astype(np.intp)
        chosen = np.repeat(np.arange(len(rows)), copies)
        nth = np.arange(len(chosen)) - np.repeat(np.cumsum(copies) - copies, copies)  # which copy of its row
        drawn = take(rows, chosen)
        keys, items = np.unique(np.stack([drawn.items, nth], axis=1), axis=0, return_inverse=True)
        names = tuple(f"{rows.item_names[item]}#{copy}" for item, copy in keys)
        value = statistic(
            type(rows)(drawn.metric, drawn.human, items.ravel(), drawn.systems, names, rows.system_names)
        )
        return np.nan if value is None else value

    return lambda weights: np.array([one(row) for row in weights], dtype=np.float64)


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
        return (
            tails  # all draws on one side, or no item matters: there is no shift, and plain quantiles stand
        )
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
