"""Krippendorff's alpha: how far raters agree beyond chance, with missing ratings.

alpha = 1 - observed / expected disagreement, both mean squared distances of two ratings: within units, and
over all ratings. One formula serves all levels of measurement, because each is a squared distance between
vectors: of the numbers themselves (interval), of their mean ranks (ordinal), of one-hot vectors (nominal).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from scipy import stats

from mars_score.errors import ConfigError, did_you_mean
from mars_score.evaluation.scored import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.evaluation.scored import Floats

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
        known = ", ".join(MEASUREMENTS)
        raise ConfigError(
            f"unknown measurement {measurement!r}; there are {known}.{did_you_mean(measurement, MEASUREMENTS)}"
        )
    rated = [numbers(unit or ()) for unit in units]
    kept = [one[np.isfinite(one)] for one in rated]
    kept = [one for one in kept if len(one) >= 2]
    left_out = len(units) - len(kept)
    if not kept:
        return Agreement(None, 0, 0, left_out, NO_PAIR)
    sizes = np.array([len(one) for one in kept])
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
