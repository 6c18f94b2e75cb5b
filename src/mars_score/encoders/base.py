"""What every encoder offers, texts in and unit vectors out; and encodings that are needed again."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from mars_score.storage.lru import LRUCache

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mars_score.progress import Progress

    pass


# What every encoder offers: texts in, unit vectors out.


@dataclass(frozen=True, slots=True)
class TokenReading:
    """One text word piece by word piece."""

    vectors: NDArray[np.float32]
    """(n, H), each of length 1: the states of one layer, without those of added tokens. Not in half precision:
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
    close: TokenReading | None = None
    """What a close reader adds; none for a blank text."""


class Encoder(Protocol):
    """Encodes texts. A text's vector must not depend on the other texts of the call, to the last bit."""

    def encode(self, texts: Sequence[str], progress: Progress = ...) -> list[Encoding]:
        """Encode each text, in order; equal texts once."""


def cosine(a: Encoding, b: Encoding) -> float:
    """Cosine similarity; 0 where a text has no representation."""
    return float(a.vector.astype("float64") @ b.vector.astype("float64"))


# Encodings that are needed again: those of references, for the next system, and of candidates, for the next
# metric.

ENTRY = 500
"""Bytes that an entry takes beside its text and its numbers, about."""


class EncodingMemory:
    """Keeps encodings up to a number of bytes; the least recently used go first."""

    def __init__(self, limit: int = 256 << 20) -> None:
        """Keep at most about so many bytes of references, and a sixteenth of that of candidates."""
        self._kept: LRUCache[str, Encoding] = LRUCache(limit, _size)
        # Apart: candidates come by the million, and would drive out the references.
        self._passing: LRUCache[str, Encoding] = LRUCache(limit // 16, _size)

    def __len__(self) -> int:
        return len(self._kept) + len(self._passing)

    @property
    def size(self) -> int:
        """Bytes that are taken, about."""
        return self._kept.size + self._passing.size

    def get(self, text: str) -> Encoding | None:
        """The encoding of a text, if it is still there."""
        encoding = self._kept.get(text)
        return self._passing.get(text) if encoding is None else encoding

    def keep(self, text: str, encoding: Encoding) -> None:
        """Remember the encoding of a reference or context, and forget older ones if need be."""
        if self._kept.get(text) is None:
            self._kept.keep(text, _copied(encoding))

    def keep_for_now(self, text: str, encoding: Encoding) -> None:
        """Remember the encoding of a candidate: a relative of this metric may score the same rows next."""
        if self._passing.get(text) is None:
            self._passing.keep(text, _copied(encoding))


def _copied(encoding: Encoding) -> Encoding:
    """A vector of an encoder's batch would keep the whole batch alive."""
    return replace(encoding, vector=encoding.vector.copy())


def _size(text: str, encoding: Encoding) -> int:
    close = encoding.close
    pieces = 0 if close is None else close.vectors.nbytes + close.weights.nbytes
    return sys.getsizeof(text) + encoding.vector.nbytes + pieces + ENTRY
