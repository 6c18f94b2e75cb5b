"""The paper's Table 5: which masking ratios, and which weights, agree best with people."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from mars_score.mars.score import ratio_weights
from mars_score.stats.bootstrap import interval
from mars_score.stats.bootstrap_fast import resampled_correlation
from mars_score.stats.correlation import correlate
from mars_score.study.results import RatioPoint
from mars_score.study.worker import RATIOS
from mars_score.types import AugmentedReference, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.study.plan import Target
    from mars_score.study.worker import Cosines

MAXIMA = (0.0, *RATIOS)
Q = (0.4, 0.6, 0.8, 1.0)
"""The weights that are tried, beside the one of the settings."""
_ROUNDING = 1e-9


def ratio_points(
    cosines: Sequence[Cosines], target: Target, *, q: float, references: str, draws: int, seed: int
) -> list[RatioPoint]:
    """Weigh the same cosines for every maximum and every q, and correlate.

    With the human reference alone (maximum 0) there is nothing to weigh, and every q gives the same numbers.
    Of equally good points the one with the smallest maximum is the best, then the first q.
    """
    made = [
        _point(cosines, target, maximum, one, references, draws, seed)
        for maximum in MAXIMA
        for one in sorted({*Q, q})
    ]
    values = [point.pearson for point in made if point.pearson is not None]
    if not values:
        return made
    best = next(i for i, point in enumerate(made) if point.pearson == max(values))
    return [replace(point, best=i == best) for i, point in enumerate(made)]


def row_score(cosines: Cosines, maximum: float, q: float, references: str) -> tuple[float, float]:
    """Return a row's MARS score with ratios up to a maximum, and the standard deviation of its cosines.

    The deviation is of all terms of the score, the human reference's included, and it divides by their number.
    Of several references that of the deciding one counts (``best``), or the mean of all (``mean``).
    """
    totals, deviations = [], []
    for terms in cosines:
        kept = [(ratio, cosine) for ratio, cosine in terms if ratio <= maximum + _ROUNDING]
        share = _weights(tuple(ratio for ratio, _ in kept), q)
        totals.append(sum(weight * cosine for weight, (_, cosine) in zip(share, kept, strict=True)))
        deviations.append(float(np.std([cosine for _, cosine in kept])))
    if references == "mean":
        return sum(totals) / len(totals), sum(deviations) / len(deviations)
    best = totals.index(max(totals))
    return totals[best], deviations[best]


def _point(
    cosines: Sequence[Cosines],
    target: Target,
    maximum: float,
    q: float,
    references: str,
    draws: int,
    seed: int,
) -> RatioPoint:
    found = [row_score(one, maximum, q, references) for one in cosines]
    rows = target.scored([score for score, _ in found])
    bounds = interval(
        resampled_correlation(rows, "pooled", "pearson"), len(rows.item_names), draws=draws, seed=seed
    )
    return RatioPoint(
        lambda_max=maximum,
        q=q,
        pearson=correlate(rows, "pooled", "pearson").value,
        low=bounds.low,
        high=bounds.high,
        kendall_item=correlate(rows, "item", "kendall").value,
        mean_deviation=float(np.mean([deviation for _, deviation in found])) if maximum else None,
        best=False,
    )


@cache
def _weights(ratios: tuple[float, ...], q: float) -> list[float]:
    """The metric's own weights of terms with these ratios."""
    return ratio_weights([AugmentedReference(Template(ratio, ()), ()) for ratio in ratios], q)
