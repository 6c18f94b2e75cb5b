"""What is read off the scores of a half."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from mars_score.stats.correlation import correlate
from mars_score.stats.data import scored, take
from mars_score.stats.permutation import perm_both

if TYPE_CHECKING:
    from accuracy.scores import Half
    from mars_score.stats.data import Scored

FEW = 10
"""Items; the average of fewer says nothing."""
UPPER_HALF = ("retrieve",)
"""Attacks that are counted on the rows that people rated in the upper half: nothing is lost on the others."""


def rows_of(half: Half, name: str, systems: tuple[str, ...] = ()) -> Scored:
    """A metric's rows, of some systems or of all."""
    data = half.dataset
    rows = scored(half.scores[name][""], data.human, [row.item for row in data], [row.system for row in data])
    if not systems:
        return rows
    return take(rows, np.isin([row.system for row in data], systems))


def pearson(half: Half, name: str, systems: tuple[str, ...] = ()) -> float:
    """Pooled Pearson correlation; NaN, as below, for what was left out."""
    if name not in half.scores:
        return float("nan")
    found = correlate(rows_of(half, name, systems), "pooled", "pearson").value
    return float("nan") if found is None else found


def kendall(half: Half, name: str, systems: tuple[str, ...] = ()) -> float:
    """Kendall's tau, averaged by item; NaN where few items have several rows."""
    rows = Counter(row.item for row in half.dataset)
    if name not in half.scores or sum(count > 1 for count in rows.values()) < FEW:
        return float("nan")
    found = correlate(rows_of(half, name, systems), "item", "kendall").value
    return float("nan") if found is None else found


def withstood(half: Half, name: str, attack: str) -> float:
    """The share of attacked rows where the original scores higher."""
    places = list(half.attacks[attack].rows)
    if not places or attack not in half.scores.get(name, {}):
        return float("nan")
    before = np.array(half.scores[name][""], float)[places]
    after = np.array(half.scores[name][attack], float)
    human = np.array(half.dataset.human, float)
    counted = human[places] >= np.median(human) if attack in UPPER_HALF else np.ones(len(places), bool)
    return float((before > after)[counted].mean()) if counted.any() else float("nan")


def copies_on_top(half: Half, name: str) -> float:
    """The share of items where no candidate scores above a copy of the reference."""
    found = half.attacks["copy_reference"]
    copies = dict[str, float]()
    items = [row.item for row in half.dataset]
    for place, score in zip(found.rows, half.scores[name]["copy_reference"], strict=True):
        copies[items[place]] = max(copies.get(items[place], -9.0), float(score or 0.0))
    best = dict[str, float]()
    for item, score in zip(items, half.scores[name][""], strict=True):
        best[item] = max(best.get(item, -9.0), float(score or 0.0))
    return float(np.mean([copies[item] >= best[item] - 1e-9 for item in copies]))


def better_by_chance(half: Half, one: str, other: str, *, draws: int = 2000, seed: int = 0) -> float:
    """PERM-BOTH, one-sided: how likely so much more pooled correlation is by chance."""
    found = perm_both(rows_of(half, one), rows_of(half, other), "pooled", "pearson", draws=draws, seed=seed)
    return 1.0 if found.p_greater is None else found.p_greater
