"""The levels at which a metric is correlated with people.

- ``pooled``: all rows together (the paper's tables 4 and 5 pool the systems of a task).
- ``system``: within each system, then the mean over systems (the paper's table 3 shows each system's own).
- ``item``: across the systems of one item, then the mean over items. The only level at which neither the
  identity of a system nor the difficulty of an item helps a metric (Perrella et al. 2024).
- ``system_means``: across systems, of each system's mean scores.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from mars_score.errors import ConfigError, did_you_mean
from mars_score.evaluation.correlation import Correlation, Kind, correlation
from mars_score.evaluation.scored import groups, usable_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mars_score.evaluation.scored import Floats, Indices, Scored

Level: TypeAlias = Literal["pooled", "system", "item", "system_means"]
LEVELS: tuple[Level, ...] = get_args(Level)

NO_DEFINED_GROUP = "no_defined_group"
"""No system or no item has a correlation of its own."""


@dataclass(frozen=True, slots=True)
class Group:
    """One system's or one item's own correlation."""

    name: str
    correlation: Correlation


@dataclass(frozen=True, slots=True)
class LevelCorrelation:
    """A correlation at a level, or why there is none."""

    level: Level
    kind: Kind
    value: float | None
    """For ``system`` and ``item`` the plain mean over the groups that are defined."""
    n: int
    """What was correlated or averaged: rows (``pooled``), systems or items."""
    left_out: int
    """Rows that lack a score."""
    groups: tuple[Group, ...] = ()
    """Each system or item by name, defined or not; empty for ``pooled`` and ``system_means``."""
    reason: str | None = None
    """Why the value is None."""

    @property
    def undefined(self) -> Mapping[str, int]:
        """How many groups have no correlation, by reason."""
        reasons = (group.correlation.reason for group in self.groups)
        return dict(sorted(Counter(reason for reason in reasons if reason is not None).items()))


def correlate(rows: Scored, level: Level = "pooled", kind: Kind = "pearson") -> LevelCorrelation:
    """Correlate a metric with people at a level; undefined groups are left out of the mean, and named."""
    check_level(level)
    usable = usable_rows(rows)
    if level in ("pooled", "system_means"):
        pair = _means(usable) if level == "system_means" else (usable.metric, usable.human)
        found = correlation(*pair, kind)
        return LevelCorrelation(level, kind, found.value, found.n, rows.left_out, (), found.reason)
    names = rows.system_names if level == "system" else rows.item_names
    each = tuple(
        Group(name, correlation(usable.metric[chosen], usable.human[chosen], kind))
        for name, chosen in zip(names, members(usable, level), strict=True)
    )
    defined = [group.correlation.value for group in each if group.correlation.value is not None]
    if not defined:
        return LevelCorrelation(level, kind, None, 0, rows.left_out, each, NO_DEFINED_GROUP)
    return LevelCorrelation(level, kind, float(np.mean(defined)), len(defined), rows.left_out, each)


def check_level(level: str) -> None:
    """Raise where there is no such level."""
    if level not in LEVELS:
        raise ConfigError(
            f"unknown level {level!r}; there are {', '.join(LEVELS)}.{did_you_mean(level, LEVELS)}"
        )


def members(rows: Scored, level: Level) -> list[Indices]:
    """The rows of each group: one group of all for ``pooled``, else one for each name in order."""
    if level == "pooled":
        return [np.arange(len(rows))]
    if level == "item":
        return groups(rows.items, len(rows.item_names))
    return groups(rows.systems, len(rows.system_names))


def _means(rows: Scored) -> tuple[Floats, Floats]:
    """Both mean scores of each system that has a row."""
    present = [chosen for chosen in members(rows, "system") if len(chosen)]
    return (
        np.array([rows.metric[chosen].mean() for chosen in present]),
        np.array([rows.human[chosen].mean() for chosen in present]),
    )
