"""What every encoder offers: texts in, unit vectors out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mars_score.progress import Progress


@dataclass(frozen=True, slots=True)
class CloseReading:
    """One text word piece by word piece."""

    vectors: NDArray[np.float32]
    """(n, H), each of length 1: the states of the middle layer, without those of added tokens. Not in half precision:
    where another processor's last bit crosses a step of float16, a score would jump by its width."""
    weights: NDArray[np.float32]
    """(n,) how rare each piece is in English; they sum to 1."""
    fluency: float
    """Mean log of the probability that a piece is in its place: 0 at best."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """One text as a vector."""

    vector: NDArray[np.float32]
    """Of length 1; all zeros where the text has no representation (empty, or no known word)."""
    truncated: bool = False
    """Whether the text's tail did not fit."""
    close: CloseReading | None = None
    """What a close reader adds; none for a blank text."""


class Encoder(Protocol):
    """Encodes texts. A text's vector must not depend on the other texts of the call, to the last bit."""

    def encode(self, texts: Sequence[str], progress: Progress = ...) -> list[Encoding]:
        """Encode each text, in order; equal texts once."""


def cosine(a: Encoding, b: Encoding) -> float:
    """Cosine similarity; 0 where a text has no representation."""
    return float(a.vector.astype("float64") @ b.vector.astype("float64"))
