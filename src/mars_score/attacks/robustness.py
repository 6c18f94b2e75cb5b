"""How a metric's scores change under attack: the numbers of Table 4, and plainer ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mars_score.errors import InputError
from mars_score.evaluation.correlation import correlation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mars_score.evaluation.correlation import Kind

    Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Correlations:
    """A correlation with human ratings before and after an attack, over the same rows."""

    before: float | None
    after: float | None
    """With the ratings of the original texts; ``None`` where scores or ratings are all equal."""

    @property
    def change(self) -> float | None:
        """After minus before: Table 4's delta; negative for a robust metric."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class Robustness:
    """One metric under one attack. Scores count as higher is better."""

    attack: str
    rows: int
    """How many rows are compared."""
    not_applicable: int
    """Rows that the attack leaves unchanged."""
    undefined: int
    """Changed rows that have no score before or after."""
    mean_change: float | None
    """The mean of attacked minus original score; negative for a robust metric."""
    share: float | None
    """The share of rows whose original scores higher; a tie counts half, so 0.5 is chance."""
    ties: float | None
    """The share of rows with equal scores."""
    upper_rows: int
    """How many of the compared rows are rated at their median or above."""
    upper_share: float | None
    """The share over these rows: here the original is good, so the attack can only do harm."""
    pearson: Correlations
    spearman: Correlations


def robustness(
    original: Sequence[float | None],
    attacked: Sequence[float | None],
    human: Sequence[float],
    *,
    attack: str = "",
    not_applicable: int = 0,
    higher_is_better: bool = True,
) -> Robustness:
    """Compare the scores of the same rows before and after an attack; ``None`` and NaN are undefined scores."""
    if not len(original) == len(attacked) == len(human):
        raise InputError(
            f"{len(original)} original scores, {len(attacked)} attacked scores and {len(human)} ratings",
            remedy="give one of each for every row, in the same order",
        )
    sign = 1.0 if higher_is_better else -1.0
    table = np.array([original, attacked, human], dtype=np.float64)
    table = table[:, np.isfinite(table).all(axis=0)]
    before, after, ratings = sign * table[0], sign * table[1], table[2]
    upper = ratings >= np.median(ratings) if len(ratings) else np.zeros(0, dtype=bool)
    return Robustness(
        attack=attack,
        rows=len(ratings),
        not_applicable=not_applicable,
        undefined=len(human) - len(ratings),
        mean_change=_mean(after - before),
        share=_share(before, after),
        ties=_mean((before == after).astype(np.float64)),
        upper_rows=int(upper.sum()),
        upper_share=_share(before[upper], after[upper]),
        pearson=_correlations(before, after, ratings, "pearson"),
        spearman=_correlations(before, after, ratings, "spearman"),
    )


def _correlations(before: Numbers, after: Numbers, ratings: Numbers, kind: Kind) -> Correlations:
    return Correlations(correlation(before, ratings, kind).value, correlation(after, ratings, kind).value)


def _share(before: Numbers, after: Numbers) -> float | None:
    return _mean((before > after) + 0.5 * (before == after))


def _mean(values: Numbers) -> float | None:
    return float(np.mean(values)) if len(values) else None
