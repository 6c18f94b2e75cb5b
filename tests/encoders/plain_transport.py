"""The earth mover's distance as a linear program, written as plainly as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog

if TYPE_CHECKING:
    from mars_score.metrics.matching import Bag


def plain_distance(a: Bag, b: Bag) -> float:
    """Minimise the sum of flow * way, where every heap is used up and every hole is filled."""
    rows, columns = len(a.weights), len(b.weights)
    ways = [float(np.sqrt(((x - y) ** 2).sum())) for x in a.vectors for y in b.vectors]
    used = np.kron(np.eye(rows), np.ones(columns))  # (n, n m)
    filled = np.kron(np.ones(rows), np.eye(columns))  # (m, n m)
    found = linprog(ways, A_eq=np.vstack([used, filled]), b_eq=np.concatenate([a.weights, b.weights]))
    assert found.status == 0, found.message
    return float(found.fun)
