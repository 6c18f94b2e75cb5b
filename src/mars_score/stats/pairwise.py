"""Pairwise accuracy with tie calibration, and soft pairwise accuracy of systems."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mars_score.errors import ConfigError
from mars_score.stats.data import Floats, Indices, Scored, groups, usable_rows
from mars_score.stats.significance import random_signs

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Pairwise accuracy with tie calibration: acc*_eq of Deutsch, Foster and Freitag (2023).

NO_PAIR = "no_pair"
"""No item has two rows with both scores."""

_ROUNDING = 1e-12
"""Accuracies that differ by less are equal: they are sums of fractions. The smallest epsilon then wins."""
_BLOCK = 4_000_000
"""Cells of an array that are held at a time."""


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Tie-calibrated accuracy, or why there is none."""

    value: float | None
    """From 0 to 1, at the best epsilon."""
    epsilon: float | None
    """The smallest of the best thresholds: metric scores that differ by at most this are tied."""
    uncalibrated: float | None
    """The accuracy at epsilon 0, where only equal metric scores are tied."""
    items: int
    """Items that were averaged."""
    pairs: int
    """Pairs of rows within those items."""
    items_without_pairs: int
    left_out: int
    """Rows that lack a score."""
    reason: str | None = None
    """Why the value is None."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of rows within an item, in no particular order."""

    first: Indices
    second: Indices
    """Positions of the pair's rows."""
    items: Indices
    """The item of each pair."""
    share: Floats
    """One over the number of pairs of the item."""
    human: NDArray[np.int8]
    """Which row people prefer: 1 the first, -1 the second, 0 neither."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Accuracy as a function of epsilon: it changes only where epsilon reaches the difference of a pair."""

    items: Indices
    gains: Floats
    """What an item's accuracy gains when this pair becomes tied. Pairs are in the order of thresholds."""
    last: Indices
    """For each threshold above 0 the last pair that it ties."""
    thresholds: Floats
    """Rising; the first is 0."""
    at_zero: Floats
    """Each item's accuracy at epsilon 0; 0 for an item without pairs."""
    has_pairs: Floats
    """1 for an item with pairs, else 0."""


def pairwise_accuracy(rows: Scored) -> PairwiseAccuracy:
    """Calibrate epsilon on these rows and return the accuracy there."""
    usable = usable_rows(rows)
    pairs = pairs_within_items(usable)
    curve = curve_of(pairs, usable.metric, len(rows.item_names))
    items = int(curve.has_pairs.sum())
    without = len(rows.item_names) - items
    if not items:
        return PairwiseAccuracy(None, None, None, 0, 0, without, rows.left_out, NO_PAIR)
    accuracies = _accuracies(curve, np.ones((1, len(rows.item_names))))[0]
    best = int(np.argmax(accuracies >= accuracies.max() - _ROUNDING))
    return PairwiseAccuracy(
        float(accuracies[best]),
        float(curve.thresholds[best]),
        float(accuracies[0]),
        items,
        len(pairs.items),
        without,
        rows.left_out,
    )


def pairs_within_items(rows: Scored) -> Pairs:
    """Pair the rows of each item; all rows must have both scores."""
    first, second, items, share = [], [], [], []
    for item, chosen in enumerate(groups(rows.items, len(rows.item_names))):
        left, right = np.triu_indices(len(chosen), k=1)
        first.append(chosen[left])
        second.append(chosen[right])
        items.append(np.full(len(left), item))
        share.append(np.full(len(left), 1 / max(1, len(left))))
    a = np.concatenate([np.empty(0, dtype=np.intp), *first])
    b = np.concatenate([np.empty(0, dtype=np.intp), *second])
    return Pairs(
        a,
        b,
        np.concatenate([np.empty(0, dtype=np.intp), *items]),
        np.concatenate([np.empty(0), *share]),
        np.sign(rows.human[a] - rows.human[b]).astype(np.int8),
    )


def curve_of(pairs: Pairs, metric: Floats, item_count: int) -> Curve:
    """Sort the pairs by the difference of their metric scores, and note what each tie brings."""
    difference = metric[pairs.first] - metric[pairs.second]
    right = np.sign(difference) == pairs.human  # concordant, or tied in both
    # A tie is right where people see one too; it costs a pair that was right before and gives one that was not.
    gains = pairs.share * ((pairs.human == 0).astype(np.float64) - right)
    size = np.abs(difference)
    changing = np.flatnonzero(gains)
    changing = changing[np.argsort(size[changing], kind="stable")]
    sizes = size[changing]
    last = np.flatnonzero(np.append(sizes[1:] != sizes[:-1], True)) if len(sizes) else np.empty(0, np.intp)
    return Curve(
        pairs.items[changing],
        gains[changing],
        last,
        np.concatenate([[0.0], sizes[last]]),
        np.bincount(pairs.items, weights=pairs.share * right, minlength=item_count).astype(np.float64),
        (np.bincount(pairs.items, minlength=item_count) > 0).astype(np.float64),
    )


def best_accuracies(curve: Curve, weights: Floats) -> Floats:
    """The calibrated accuracy for each row of weights (draws, items); NaN where no item has pairs.

    Epsilon is calibrated anew for each draw, as it would be on a new data set.
    """
    step = max(1, _BLOCK // max(1, len(curve.gains)))
    blocks = [weights[start : start + step] for start in range(0, len(weights), step)]
    return np.concatenate([np.empty(0), *(_accuracies(curve, block).max(axis=1) for block in blocks)])


def _accuracies(curve: Curve, weights: Floats) -> Floats:
    """Accuracy at each threshold, for each row of weights."""
    total = weights @ curve.has_pairs
    total = np.where(total > 0, total, np.nan)[:, None]
    gained = np.cumsum(weights[:, curve.items] * curve.gains, axis=1)[:, curve.last]
    at_zero = (weights @ curve.at_zero)[:, None]
    return np.hstack([at_zero, at_zero + gained]) / total


# Soft pairwise accuracy (Thompson et al. 2024): do metric and people agree on systems, and how surely?

_SOFT_ROUNDING = 1e-9


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
    cell = rows.items * shape[1] + rows.systems
    size = shape[0] * shape[1]
    count = np.bincount(cell, minlength=size)
    sums = np.bincount(cell, weights=values, minlength=size)
    cells: Floats = (sums / np.where(count > 0, count, np.nan)).reshape(shape)
    return cells


def _p_values(cells: Floats, pairs: list[tuple[np.intp, np.intp]], signs: Floats) -> Floats:
    """One-sided p that the first system of each pair is better: k / draws, as in WMT."""
    differences = np.nan_to_num(np.stack([cells[:, a] - cells[:, b] for a, b in pairs], axis=1))
    real = differences.sum(axis=0)
    slack = _SOFT_ROUNDING * np.abs(differences).sum(axis=0)
    return np.asarray((signs @ differences >= real - slack).mean(axis=0), dtype=np.float64)
