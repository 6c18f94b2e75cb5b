"""Metrics in clusters of significance, as in WMT's metrics tasks.

The rule: sort the metrics from the best value down, and open a cluster with the first. Go down the list. A
metric that is significantly worse than any metric of the open cluster opens the next cluster; otherwise it
joins. (Freitag et al. 2022, "Results of WMT22 Metrics Shared Task".)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Ranked:
    """A metric's place."""

    name: str
    value: float | None
    cluster: int | None
    """1 for the first cluster, 2 for the next: the "rank" of WMT. None for a metric without a value."""
    rank: int | None
    """The position of the best metric of its cluster: clusters of 3 and 2 give 1, 1, 1, 4, 4."""


def clusters(
    values: Mapping[str, float | None], p_better: Callable[[str, str], float | None], alpha: float = 0.05
) -> tuple[Ranked, ...]:
    """Rank metrics, best first; metrics without a value come last.

    `p_better(a, b)` is the one-sided p-value that a is better than b; None means that nothing was shown. It is
    asked only for an a that is above b in the list. Equal values are in the order of their names.
    """
    defined = sorted((-value, name) for name, value in values.items() if value is not None)
    found: list[Ranked] = []
    opened: list[str] = []
    cluster, rank = 1, 1
    for position, (negative, name) in enumerate(defined, 1):
        if any(_significant(p_better(above, name), alpha) for above in opened):
            opened, cluster, rank = [], cluster + 1, position
        opened.append(name)
        found.append(Ranked(name, -negative, cluster, rank))
    without = sorted(name for name, value in values.items() if value is None)
    return (*found, *(Ranked(name, None, None, None) for name in without))


def _significant(p: float | None, alpha: float) -> bool:
    return p is not None and p < alpha
