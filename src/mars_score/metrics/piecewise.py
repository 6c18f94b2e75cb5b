"""Texts compared piece by piece: each piece finds the likest one of the other text (as BERTScore does)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mars_score.config import MatchKind
    from mars_score.similarity.base import CloseReading

RECALL = 0.7
"""What recall counts where it counts more than precision."""


def matches(
    candidate: CloseReading, references: Sequence[CloseReading], kind: MatchKind
) -> NDArray[np.float64]:
    """Return how well the pieces of a text match those of each other text: 1 at best.

    balanced   the mean of precision (of the candidate's pieces) and recall (of the reference's)
    recall     what the reference says should be said; more does less harm
    either     the better of the two: an answer may hold the expected one, or be a part of it
    """
    import torch  # noqa: PLC0415  (heavy)

    starts = np.cumsum([0, *(len(one.weights) for one in references[:-1])])  # (R,)
    weights = np.concatenate([one.weights for one in references])  # (M,): of all references
    # By torch, which multiplies small matrices faster than NumPy; from memory of its own, since how an array is aligned
    # may decide in which order a library adds.
    pieces = torch.cat([torch.from_numpy(one.vectors) for one in references])  # (M, H)
    alike = (torch.from_numpy(candidate.vectors).clone() @ pieces.T).numpy()  # (n, M)
    precision = candidate.weights @ np.maximum.reduceat(alike, starts, axis=1)  # (R,)
    recall = np.add.reduceat(alike.max(0) * weights, starts)  # (R,)
    share = RECALL if kind == "recall" else 0.5
    joined = np.maximum(precision, recall) if kind == "either" else share * recall + (1 - share) * precision
    found: NDArray[np.float64] = joined.astype(np.float64)
    return found
