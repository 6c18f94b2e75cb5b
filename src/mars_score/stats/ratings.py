"""What a data set's human ratings look like, and how far raters agree (Krippendorff's alpha)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy import stats

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.stats.data import Floats, numbers

# Krippendorff's alpha: how far raters agree beyond chance, with missing ratings.

Measurement: TypeAlias = Literal["nominal", "ordinal", "interval"]
MEASUREMENTS: tuple[Measurement, ...] = get_args(Measurement)

NO_PAIR = "no_pair"
"""No unit has two ratings."""
CONSTANT = "constant"
"""All ratings are equal: there is nothing to agree about."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Alpha, or why there is none."""

    value: float | None
    """1 for perfect agreement, 0 for chance, negative for less than chance."""
    units: int
    """Units with at least two ratings: only these count."""
    ratings: int
    """Ratings of those units."""
    left_out: int
    """Units with fewer than two ratings."""
    reason: str | None = None
    """Why the value is None."""


def krippendorff_alpha(
    units: Sequence[Sequence[float | None] | None], measurement: Measurement = "interval"
) -> Agreement:
    """Alpha of units (rows of a data set) with their ratings; who rated does not matter.

    None, for a rating or for all ratings of a unit, means missing.
    """
    if measurement not in MEASUREMENTS:
        names = ", ".join(MEASUREMENTS)
        raise ConfigError(
            f"unknown measurement {measurement!r}; there are {names}.{did_you_mean(measurement, MEASUREMENTS)}"
        )
    rated = [numbers(unit or ()) for unit in units]
    kept = [unit[np.isfinite(unit)] for unit in rated]
    kept = [unit for unit in kept if len(unit) >= 2]
    left_out = len(units) - len(kept)
    if not kept:
        return Agreement(None, 0, 0, left_out, NO_PAIR)
    sizes = np.array([len(unit) for unit in kept])
    ratings = np.concatenate(kept)
    n = len(ratings)
    if np.ptp(ratings) == 0:
        return Agreement(None, len(kept), n, left_out, CONSTANT)
    places = _places(ratings, measurement)  # (ratings, dimensions)
    within = _squares_within(places, sizes)
    total = float(((places - places.mean(axis=0)) ** 2).sum())
    observed = float((within * sizes / (sizes - 1)).sum()) / n
    expected = total / (n - 1)
    return Agreement(1 - observed / expected, len(kept), n, left_out)


def _places(ratings: Floats, measurement: Measurement) -> Floats:
    """The ratings as points whose squared distance is the disagreement of two ratings, but for a factor."""
    if measurement == "nominal":
        return np.asarray(ratings[:, None] == np.unique(ratings)[None, :], dtype=np.float64)
    if measurement == "ordinal":
        # Between two values lie all ratings in between and half of those at each end: their mean ranks' distance.
        return np.asarray(stats.rankdata(ratings), dtype=np.float64)[:, None]
    return ratings[:, None]


def _squares_within(places: Floats, sizes: np.ndarray[tuple[int], np.dtype[np.int_]]) -> Floats:
    """For each unit the sum of squared distances from its mean."""
    starts = np.cumsum(sizes) - sizes
    means = np.add.reduceat(places, starts, axis=0) / sizes[:, None]
    squares: Floats = ((places - np.repeat(means, sizes, axis=0)) ** 2).sum(axis=1)
    return np.asarray(np.add.reduceat(squares, starts), dtype=np.float64)


NOT_ORDINAL = "not_ordinal"
"""Some ratings are no whole numbers."""


def quadratic_kappa(
    first: Sequence[float | None] | Floats, second: Sequence[float | None] | Floats
) -> Agreement:
    """Cohen's kappa of two raters with quadratic weights, for ratings that are whole numbers on one scale.

    Disagreement is the mean squared difference; by chance it would be the variances and the squared difference of
    the means, so no table of categories is needed.
    """
    x, y = numbers(first), numbers(second)
    usable = np.isfinite(x) & np.isfinite(y)
    x, y, left_out = x[usable], y[usable], int((~usable).sum())
    if not len(x):
        return Agreement(None, 0, 0, left_out, NO_PAIR)
    if not (np.array_equal(x, np.rint(x)) and np.array_equal(y, np.rint(y))):
        return Agreement(None, len(x), 2 * len(x), left_out, NOT_ORDINAL)
    by_chance = float(x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    if by_chance == 0:
        return Agreement(None, len(x), 2 * len(x), left_out, CONSTANT)
    return Agreement(1 - float(((x - y) ** 2).mean()) / by_chance, len(x), 2 * len(x), left_out)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts between edges; the last bin includes its upper edge."""

    edges: tuple[float, ...]
    """One more than there are counts."""
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RatingSummary:
    """Human scores (one a row, usually a mean) and the ratings behind them."""

    rows: int
    scored: int
    """Rows with a human score."""
    mean: float | None
    """Of the human scores; None without any."""
    deviation: float | None
    """Standard deviation of the human scores (n - 1); None for fewer than two."""
    lowest: float | None
    highest: float | None
    histogram: Histogram | None
    """Of the human scores, in bins of equal width."""
    ratings: int
    """Single ratings; 0 where a data set gives only scores."""
    mean_rating: float | None
    rating_counts: tuple[tuple[float, int], ...]
    """Each distinct rating and how often it was given, rising."""
    raters: tuple[tuple[int, int], ...]
    """Number of ratings of a row, and how many rows have that number, rising; 0 included."""


def summarise(
    human: Sequence[float | None] | Floats,
    ratings: Sequence[Sequence[float | None] | None],
    *,
    bins: int = 10,
) -> RatingSummary:
    """Summarise the rows of a data set: each row's score, and its raters' ratings or None."""
    if len(human) != len(ratings):
        raise InputError(
            f"{len(human)} human scores and ratings of {len(ratings)} rows",
            remedy="give both for every row, None where a row has none",
        )
    if bins < 1:
        raise ConfigError(f"{bins} bins; give at least 1")
    scores = numbers(human)
    scores = np.sort(scores[np.isfinite(scores)])
    rated = [numbers(row or ()) for row in ratings]
    rated = [row[np.isfinite(row)] for row in rated]
    single = np.sort(np.concatenate([np.empty(0), *rated]))
    return RatingSummary(
        rows=len(human),
        scored=len(scores),
        mean=float(scores.mean()) if len(scores) else None,
        deviation=float(scores.std(ddof=1)) if len(scores) > 1 else None,
        lowest=float(scores[0]) if len(scores) else None,
        highest=float(scores[-1]) if len(scores) else None,
        histogram=_histogram(scores, bins) if len(scores) else None,
        ratings=len(single),
        mean_rating=float(single.mean()) if len(single) else None,
        rating_counts=tuple(sorted(Counter(single.tolist()).items())),
        raters=tuple(sorted(Counter(len(row) for row in rated).items())),
    )


def _histogram(scores: Floats, bins: int) -> Histogram:
    counts, edges = np.histogram(scores, bins=bins)
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()))
