"""What a data set's human ratings look like: how many there are, and how they are spread."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mars_score.errors import ConfigError, InputError
from mars_score.evaluation.scored import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.evaluation.scored import Floats


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
