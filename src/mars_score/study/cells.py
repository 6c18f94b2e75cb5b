"""The paper's Table 3 for one metric: its correlations with people at every level.

Targets and levels:

- people's mean rating: pooled, system, item and system_means, each by Pearson, Spearman and Kendall; each
  system's own; and the calibrated pairwise accuracy, which is by item. All that is of a level as a whole has
  an interval, and so has each system's Pearson correlation.
- each aspect: the same numbers; only the pooled Pearson correlation has an interval.
- single ratings: pooled and by system, since a rater's whim is no property of an item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.evaluation.bootstrap import interval
from mars_score.evaluation.correlation import KINDS
from mars_score.evaluation.grouping import LEVELS, correlate
from mars_score.evaluation.pairwise import pairwise_accuracy
from mars_score.evaluation.scored import only_system
from mars_score.evaluation.weighted import resampled_accuracy, resampled_correlation
from mars_score.study.results import HUMAN, PER_RATING, Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.evaluation.correlation import Kind
    from mars_score.evaluation.grouping import Level, LevelCorrelation
    from mars_score.evaluation.scored import Scored
    from mars_score.evaluation.weighted import Resampled
    from mars_score.study.targets import Target

ACCURACY = "accuracy"
NO_PAIR = "no_pair"
_OF_RATINGS: tuple[Level, ...] = ("pooled", "system")


def cells(
    metric: str, scores: Sequence[float | None], targets: Sequence[Target], *, draws: int, seed: int
) -> list[Cell]:
    """Correlate one metric's scores, higher being better, with every target."""
    found: list[Cell] = []
    for target in targets:
        rows = target.scored(scores)
        cell = _Maker(metric, target.name, rows, draws, seed)
        for level in _OF_RATINGS if target.name == PER_RATING else LEVELS:
            for kind in KINDS:
                found += cell.of_level(level, kind)
        if target.name != PER_RATING:
            found.append(cell.of_accuracy())
    return found


class _Maker:
    """Makes the cells of one metric and one target."""

    def __init__(self, metric: str, target: str, rows: Scored, draws: int, seed: int) -> None:
        self.metric, self.target, self.rows, self.draws, self.seed = metric, target, rows, draws, seed

    def of_level(self, level: Level, kind: Kind) -> list[Cell]:
        """The level as a whole, then each of its systems."""
        found = correlate(self.rows, level, kind)
        low, high = self._bounds(level, kind)
        whole = Cell(
            self.metric, self.target, level, "", kind, found.value, low, high, found.n, found.left_out,
            dict(found.undefined), found.reason,
        )  # fmt: skip
        return [whole, *self._systems(found)] if level == "system" else [whole]

    def of_accuracy(self) -> Cell:
        """The calibrated pairwise accuracy."""
        found = pairwise_accuracy(self.rows)
        low = high = None
        if self.target == HUMAN and found.value is not None:
            low, high = self._interval(self.rows, resampled_accuracy(self.rows))
        undefined = {NO_PAIR: found.items_without_pairs} if found.items_without_pairs else {}
        return Cell(
            self.metric, self.target, "item", "", ACCURACY, found.value, low, high, found.items, found.left_out,
            undefined, found.reason,
        )  # fmt: skip

    def _systems(self, found: LevelCorrelation) -> list[Cell]:
        made = []
        for group in found.groups:
            if not group.name:  # an empty group stands for the level as a whole
                continue
            one = group.correlation
            own = only_system(self.rows, group.name)
            low = high = None
            if one.value is not None and self.target == HUMAN and found.kind == "pearson":
                low, high = self._interval(own, resampled_correlation(own, "pooled", found.kind))
            made.append(
                Cell(
                    self.metric,
                    self.target,
                    "system",
                    group.name,
                    found.kind,
                    one.value,
                    low,
                    high,
                    one.n,
                    own.left_out,
                    {},
                    one.reason,
                )
            )
        return made

    def _bounds(self, level: Level, kind: Kind) -> tuple[float | None, float | None]:
        if self.target != HUMAN and (level, kind) != ("pooled", "pearson"):
            return None, None
        return self._interval(self.rows, resampled_correlation(self.rows, level, kind))

    def _interval(self, rows: Scored, statistic: Resampled) -> tuple[float | None, float | None]:
        found = interval(statistic, len(rows.item_names), draws=self.draws, seed=self.seed)
        return found.low, found.high
