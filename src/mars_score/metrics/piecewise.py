"""Two texts compared piece by piece: each piece finds the likest one of the other text (as BERTScore does)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mars_score.config import MatchKind
    from mars_score.similarity.base import CloseReading

RECALL = 0.7
"""What recall counts where it counts more than precision."""


def match(candidate: CloseReading, reference: CloseReading, kind: MatchKind) -> float:
    """Return how well the pieces match: 1 at best.

    balanced   the mean of precision (of the candidate's pieces) and recall (of the reference's)
    recall     what the reference says should be said; more does less harm
    either     the better of the two: an answer may hold the expected one, or be a part of it
    """
    alike = candidate.vectors.astype(np.float32) @ reference.vectors.astype(np.float32).T  # (n, m)
    precision = float(alike.max(1) @ candidate.weights)
    recall = float(alike.max(0) @ reference.weights)
    if kind == "either":
        return max(precision, recall)
    share = RECALL if kind == "recall" else 0.5
    return share * recall + (1 - share) * precision
