"""Williams' test (1959): do two metrics correlate differently with the same human scores?

It allows for the correlation of the metrics with each other. For pooled Pearson correlations of independent
rows; rows that share an item are not independent, and PERM-BOTH is then the better test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from mars_score.errors import ConfigError, InputError
from mars_score.evaluation.correlation import correlation
from mars_score.evaluation.scored import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.evaluation.scored import Floats

TOO_SHORT = "too_short"
"""Fewer than four rows."""
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
    found = [correlation(*pair).value for pair in ((a, people), (b, people), (a, b))]
    if n < 4:
        return WilliamsTest(None, None, None, n, left_out, TOO_SHORT)
    if found[0] is None or found[1] is None or found[2] is None:
        return WilliamsTest(None, None, None, n, left_out, CORRELATION_UNDEFINED)
    outcome = williams_test(found[0], found[1], found[2], n)
    return WilliamsTest(outcome.t, outcome.p_greater, outcome.p_two_sided, n, left_out, outcome.reason)
