"""Which words to mask: the exact 0/1 knapsack of Appendix A."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

_SCALE = 1 << 32


def budget(ratio: float, words: int) -> int:
    """Return W_max = floor(lambda N); the small term keeps 0.58 x 50 (28.999... as floats) at 29."""
    return math.floor(ratio * words + 1e-9)


def masks(values: Sequence[float], costs: Sequence[int], budgets: Sequence[int]) -> list[tuple[bool, ...]]:
    """Return for each budget the mask of the highest total value whose total cost does not exceed it.

    Of equally good masks it is the one that keeps the earliest word on which they differ.

    One table, of the largest budget, serves all budgets. It is Appendix A's, filled from the last word to the
    first, so that reading it back decides on the words from left to right and breaks ties as said.
    """
    worths = whole(values)
    most = min(max(budgets, default=0), sum(costs))
    best = np.zeros(most + 1, dtype=np.int64)  # best[w]: the highest total of the words so far at budget w
    taken = np.zeros((len(worths), most // 8 + 1), dtype=np.uint8)  # whether a word is masked at w, in bits
    for place in reversed(range(len(worths))):
        cost = costs[place]
        if cost <= most:
            masked = best[: most + 1 - cost] + worths[place]
            better = np.zeros(most + 1, dtype=np.bool_)
            better[cost:] = masked > best[cost:]
            taken[place] = np.packbits(better, bitorder="little")
            best[cost:] = np.maximum(best[cost:], masked)
    return [_read(taken, costs, min(limit, most)) for limit in budgets]


def whole(values: Sequence[float]) -> list[int]:
    """Return the values as integers, in parts of the largest one.

    Sums of floats depend on their order, so that rounding would tell apart two masks of equal worth (the same
    word in two places). Sums of integers do not, and 64 bits hold the sum of two thousand million words.
    """
    largest = max(values, default=0.0)
    return [round(value / largest * _SCALE) if largest > 0 else 0 for value in values]


def _read(
    taken: np.ndarray[tuple[int, int], np.dtype[np.uint8]], costs: Sequence[int], left: int
) -> tuple[bool, ...]:
    mask = []
    for row, cost in zip(taken, costs, strict=True):
        masked = bool(row[left // 8] >> (left % 8) & 1)
        left -= cost * masked
        mask.append(masked)
    return tuple(mask)
