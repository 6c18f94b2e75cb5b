"""Soft pairwise accuracy (Thompson et al. 2024): do metric and people agree on systems, and how surely?

For each two systems, a paired permutation test over items gives a one-sided p-value that the first is better,
once by the metric and once by people. SPA = 1 - the mean of |p_metric - p_human| over pairs of systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mars_score.errors import ConfigError
from mars_score.evaluation.paired import random_signs
from mars_score.evaluation.scored import usable_rows

if TYPE_CHECKING:
    from mars_score.evaluation.scored import Floats, Scored

NO_PAIR = "no_pair"
"""No two systems have an item in common."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SoftPairwiseAccuracy:
    """SPA, or why there is none."""

    value: float | None
    """From 0 to 1."""
    systems: int
    pairs: int
    """Pairs of systems that have an item in common."""
    left_out: int
    """Rows that lack a score."""
    reason: str | None = None
    """Why the value is None."""


def soft_pairwise_accuracy(rows: Scored, *, draws: int = 1000, seed: int = 0) -> SoftPairwiseAccuracy:
    """Compare systems in pairs, each on the items that both have; systems are in the order of their names.

    Metric and people are tested with the same swaps. Several rows of a system and item count by their mean.
    """
    if draws < 1:
        raise ConfigError(f"{draws} draws; give at least 1")
    usable = usable_rows(rows)
    metric, human = _cells(usable, usable.metric), _cells(usable, usable.human)
    present = np.flatnonzero(np.isfinite(metric).any(axis=0))
    pairs = [(a, b) for a, b in combinations(present, 2) if np.isfinite(metric[:, a] + metric[:, b]).any()]
    if not pairs:
        return SoftPairwiseAccuracy(None, len(present), 0, rows.left_out, NO_PAIR)
    signs = random_signs(np.random.default_rng(seed), draws, len(metric))
    p_metric, p_human = (_p_values(cells, pairs, signs) for cells in (metric, human))
    value = 1 - float(np.abs(p_metric - p_human).mean())
    return SoftPairwiseAccuracy(value, len(present), len(pairs), rows.left_out)


def _cells(rows: Scored, values: Floats) -> Floats:
    """Mean values by (items, systems), NaN where there is no row."""
    shape = len(rows.item_names), len(rows.system_names)
    place = rows.items * shape[1] + rows.systems
    size = shape[0] * shape[1]
    count = np.bincount(place, minlength=size)
    sums = np.bincount(place, weights=values, minlength=size)
    cells: Floats = (sums / np.where(count > 0, count, np.nan)).reshape(shape)
    return cells


def _p_values(cells: Floats, pairs: list[tuple[np.intp, np.intp]], signs: Floats) -> Floats:
    """One-sided p that the first system of each pair is better: k / draws, as in WMT."""
    differences = np.nan_to_num(np.stack([cells[:, a] - cells[:, b] for a, b in pairs], axis=1))
    real = differences.sum(axis=0)
    slack = _ROUNDING * np.abs(differences).sum(axis=0)
    return np.asarray((signs @ differences >= real - slack).mean(axis=0), dtype=np.float64)
