"""Where metrics stand on a data set, by one statistic at one level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.study.results import HUMAN

if TYPE_CHECKING:
    from mars_score.study.results import Cell, DatasetResult

SIGNIFICANT = 0.05
TEST = "perm-both"
"""The test that applies to every statistic."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Metrics from the best down, and what was shown of the first."""

    level: str
    statistic: str
    cells: tuple[Cell, ...]
    tested: bool
    """Whether the leader was tested against others."""
    not_worse: tuple[str, ...]
    """Metrics that the leader was tested against without being shown to be better."""

    @property
    def leader(self) -> Cell:
        """The metric with the highest value."""
        return self.cells[0]


def standing(dataset: DatasetResult, level: str, statistic: str) -> Standing | None:
    """Rank the metrics; None where nothing was computed. The corrected p-value decides."""
    cells = [
        (-cell.value, cell.metric, cell)
        for cell in dataset.cells
        if (cell.target, cell.level, cell.group, cell.statistic) == (HUMAN, level, "", statistic)
        and cell.value is not None
    ]
    if not cells:
        return None
    ranked = tuple(cell for _, _, cell in sorted(cells, key=lambda entry: entry[:2]))
    leader = ranked[0].metric
    p = {
        contrast.worse: contrast.p if contrast.p_corrected is None else contrast.p_corrected
        for contrast in dataset.contrasts
        if (contrast.target, contrast.level, contrast.statistic) == (HUMAN, level, statistic)
        and (contrast.test, contrast.better) == (TEST, leader)
    }
    unsure = (cell.metric for cell in ranked[1:] if cell.metric in p and _unsure(p[cell.metric]))
    return Standing(level, statistic, ranked, bool(p), tuple(unsure))


def _unsure(p: float | None) -> bool:
    return p is None or p >= SIGNIFICANT
