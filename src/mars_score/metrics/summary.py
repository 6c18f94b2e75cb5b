"""The scores of many rows in a few numbers for each metric, gathered row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Summary:
    """Means of the metrics over the rows where they are defined."""

    def __init__(self, metrics: Sequence[str]) -> None:
        """Begin with no rows."""
        self._totals = dict.fromkeys(metrics, 0.0)
        self.defined = dict.fromkeys(metrics, 0)
        """Rows in which a metric has a number."""
        self.rows = 0

    def add(self, scores: Mapping[str, float | None]) -> None:
        """Count a row in."""
        self.rows += 1
        for metric, score in scores.items():
            if score is not None:
                self._totals[metric] += score
                self.defined[metric] += 1

    @property
    def means(self) -> dict[str, float | None]:
        """None for a metric that is defined in no row."""
        return {
            metric: self._totals[metric] / count if count else None for metric, count in self.defined.items()
        }
