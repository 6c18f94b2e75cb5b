"""The earth mover's distance: the least work that turns one bag of weighted vectors into another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SOLVER = "pot"
"""What solves it, for signatures."""
STEPS = 10_000_000
"""Pivots after which the solver would give up; far more than texts of thousands of words need."""


@dataclass(frozen=True, slots=True)
class Bag:
    """Weighted vectors."""

    vectors: NDArray[np.float64]
    """(n, H), at least one."""
    weights: NDArray[np.float64]
    """(n,), none negative, with the sum 1."""


def bag(vectors: NDArray[np.float64], weights: NDArray[np.float64]) -> Bag:
    """Make the weights sum to 1."""
    return Bag(vectors, weights / weights.sum())


def distance(a: Bag, b: Bag) -> float:
    """The exact earth mover's distance under the Euclidean distance of vectors.

    Distances are taken from the differences of vectors, not from their products: so equal vectors are at a
    distance of exactly 0.
    """
    from ot import emd2  # noqa: PLC0415  (heavy)
    from scipy.spatial.distance import cdist  # noqa: PLC0415

    costs = cdist(a.vectors, b.vectors)  # (n, m)
    return max(0.0, float(emd2(a.weights, b.weights, costs, numItermax=STEPS)))
