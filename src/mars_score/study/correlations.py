"""Correlations with people (Table 3), which differences are more than chance, and masking ratios (Table 5)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mars_score.mars.score import ratio_weights
from mars_score.stats.bootstrap import Resampled, interval, resampled_accuracy, resampled_correlation
from mars_score.stats.correlation import KINDS, LEVELS, Kind, Level, LevelCorrelation, correlate
from mars_score.stats.data import Scored, only_system
from mars_score.stats.pairwise import pairwise_accuracy
from mars_score.stats.permutation import EarlyStopping, perm_both
from mars_score.stats.significance import clusters, compare_by_williams, holm
from mars_score.study.results import HUMAN, PER_RATING, Cell, Contrast, MetricRank, RatioPoint
from mars_score.study.worker import RATIOS, Cosines
from mars_score.types import AugmentedReference, Template

if TYPE_CHECKING:
    from mars_score.study.plan import Target


ACCURACY = "accuracy"
NO_PAIR = "no_pair"
_OF_RATINGS: tuple[Level, ...] = ("pooled", "system")


def cells(
    metric: str, scores: Sequence[float | None], targets: Sequence[Target], *, draws: int, seed: int
) -> list[Cell]:
    """Correlate one metric's scores, higher being better, with every target."""
    made: list[Cell] = []
    for target in targets:
        rows = target.scored(scores)
        cell = _CellMaker(metric, target.name, rows, draws, seed)
        for level in _OF_RATINGS if target.name == PER_RATING else LEVELS:
            for kind in KINDS:
                made += cell.of_level(level, kind)
        if target.name != PER_RATING:
            made.append(cell.of_accuracy())
    return made


class _CellMaker:
    """Makes the cells of one metric and one target."""

    def __init__(self, metric: str, target: str, rows: Scored, draws: int, seed: int) -> None:
        self.target, self.rows, self.draws, self.seed = target, rows, draws, seed
        self.cell = partial(Cell, metric, target)

    def of_level(self, level: Level, kind: Kind) -> list[Cell]:
        """The level as a whole, then each of its systems."""
        whole = correlate(self.rows, level, kind)
        low, high = self._bounds(level, kind)
        undefined = dict(whole.undefined)
        cell = self.cell(
            level, "", kind, whole.value, low, high, whole.n, whole.left_out, undefined, whole.reason
        )
        return [cell, *self._systems(whole)] if level == "system" else [cell]

    def of_accuracy(self) -> Cell:
        """The calibrated pairwise accuracy."""
        accuracy = pairwise_accuracy(self.rows)
        low = high = None
        if self.target == HUMAN and accuracy.value is not None:
            low, high = self._interval(self.rows, resampled_accuracy(self.rows))
        undefined = {NO_PAIR: accuracy.items_without_pairs} if accuracy.items_without_pairs else {}
        items, left_out = accuracy.items, accuracy.left_out
        return self.cell(
            "item", "", ACCURACY, accuracy.value, low, high, items, left_out, undefined, accuracy.reason
        )

    def _systems(self, whole: LevelCorrelation) -> list[Cell]:
        cells = []
        for group in whole.groups:
            if not group.name:  # an empty group stands for the level as a whole
                continue
            r = group.correlation
            rows = only_system(self.rows, group.name)
            low = high = None
            if r.value is not None and self.target == HUMAN and whole.kind == "pearson":
                low, high = self._interval(rows, resampled_correlation(rows, "pooled", whole.kind))
            system = partial(self.cell, "system", group.name, whole.kind)
            cells.append(system(r.value, low, high, r.n, rows.left_out, {}, r.reason))
        return cells

    def _bounds(self, level: Level, kind: Kind) -> tuple[float | None, float | None]:
        if self.target != HUMAN and (level, kind) != ("pooled", "pearson"):
            return None, None
        return self._interval(self.rows, resampled_correlation(self.rows, level, kind))

    def _interval(self, rows: Scored, statistic: Resampled) -> tuple[float | None, float | None]:
        bounds = interval(statistic, len(rows.item_names), draws=self.draws, seed=self.seed)
        return bounds.low, bounds.high


# Which metric is nearer to people, and which differences are more than chance.

QUESTIONS: tuple[tuple[Level, Kind], ...] = (("pooled", "pearson"), ("item", "kendall"))
"""What metrics are ranked by."""
PERM_BOTH, WILLIAMS = "perm-both", "williams"
MORE = 10
"""A permutation test makes so many times the draws of an interval. Its smallest p-value is one over the draws,
and Holm multiplies it by the pairs of metrics: a thousand draws could never tell 25 metrics apart."""
_CLEAR = EarlyStopping(below=-1.0, above=0.1)
"""Stop where a difference cannot become significant any more."""


@dataclass(frozen=True, slots=True)
class MetricPair:
    """Is the first metric nearer to people than the second?"""

    better: str
    worse: str
    level: Level
    kind: Kind


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """By how much, and how likely by chance."""

    difference: float | None
    p: float | None


def questions(values: Mapping[str, float | None], level: Level, kind: Kind) -> list[MetricPair]:
    """Pair all metrics that have a value, the better one first; equal ones in the order of their names."""
    ranked = sorted((-value, name) for name, value in values.items() if value is not None)
    return [MetricPair(better, worse, level, kind) for (_, better), (_, worse) in combinations(ranked, 2)]


def permute(asked: Sequence[MetricPair], rows: Mapping[str, Scored], *, draws: int, seed: int,
            answered: Callable[[MetricPair, PairOutcome], None]) -> None:  # fmt: skip
    """Answer questions by PERM-BOTH, several at a time; `answered` is called in their order."""

    def test_pair(question: MetricPair) -> PairOutcome:
        test = perm_both(
            rows[question.better], rows[question.worse], question.level, question.kind,
            draws=draws * MORE, seed=seed, stopping=_CLEAR,
        )  # fmt: skip
        return PairOutcome(test.difference, test.p_greater)

    # numpy lets go of the interpreter while it computes, so threads do run side by side.
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            for question, answer in zip(asked, pool.map(test_pair, asked), strict=True):
                answered(question, answer)
        finally:
            pool.shutdown(cancel_futures=True)


def williams(question: MetricPair, rows: Mapping[str, Scored]) -> PairOutcome:
    """Answer a question about pooled Pearson correlations by Williams' test."""
    better, worse = rows[question.better], rows[question.worse]
    # Sums depend on their order in the last digits: so rows come in an order that their content decides.
    order = np.lexsort((worse.metric, better.metric, better.human))
    test = compare_by_williams(better.metric[order], worse.metric[order], better.human[order])
    return PairOutcome(None, test.p_greater)


def contrasts(
    test: str, asked: Sequence[MetricPair], answers: Sequence[PairOutcome], values: Mapping[str, float | None]
) -> list[Contrast]:
    """Correct the p-values of one test, and say what was found."""
    made = []
    for question, answer, corrected in zip(
        asked, answers, holm([answer.p for answer in answers]), strict=True
    ):
        better, worse = values[question.better], values[question.worse]
        apart = better - worse if better is not None and worse is not None else None
        difference = apart if answer.difference is None else answer.difference
        pair = question.better, question.worse
        made.append(
            Contrast(HUMAN, question.level, question.kind, test, *pair, difference, answer.p, corrected)
        )
    return made


def rank_metrics(
    values: Mapping[str, float | None], contrasts: Sequence[Contrast], level: Level, kind: Kind
) -> list[MetricRank]:
    """Rank metrics in clusters: one that is significantly worse than any of the open cluster opens the next."""
    p = {(contrast.better, contrast.worse): contrast.p_corrected for contrast in contrasts}
    return [
        MetricRank(HUMAN, level, kind, ranked.name, ranked.value, ranked.cluster, ranked.rank)
        for ranked in clusters(values, lambda better, worse: p.get((better, worse)))
    ]


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
        _point(cosines, target, maximum, decay, references, draws, seed)
        for maximum in MAXIMA
        for decay in sorted({*Q, q})
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
    scores = [row_score(row, maximum, q, references) for row in cosines]
    rows = target.scored([score for score, _ in scores])
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
        mean_deviation=float(np.mean([deviation for _, deviation in scores])) if maximum else None,
        best=False,
    )


@cache
def _weights(ratios: tuple[float, ...], q: float) -> list[float]:
    """The metric's own weights of terms with these ratios."""
    return ratio_weights([AugmentedReference(Template(ratio, ()), ()) for ratio in ratios], q)
