"""Pearson's r, Spearman's rho and Kendall's tau-b of two vectors; what is undefined says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from scipy import stats

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.evaluation.scored import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.evaluation.scored import Floats

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
