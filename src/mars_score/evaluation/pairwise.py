"""Pairwise accuracy with tie calibration: acc*_eq of Deutsch, Foster and Freitag (2023).

People often give two outputs of an item the same score, which a metric with real-valued scores never does.
So differences of at most epsilon count as ties of the metric, and epsilon is chosen, once for all items, such
that the accuracy is highest: (concordant pairs + pairs tied in both) / pairs, averaged over items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mars_score.evaluation.scored import groups, usable_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mars_score.evaluation.scored import Floats, Indices, Scored

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
