"""Encodings that are needed again: those of references, for the next system."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from mars_score.recent import Recent

if TYPE_CHECKING:
    from mars_score.similarity.base import Encoding

ENTRY = 500
"""Bytes that an entry takes beside its text and its numbers, about."""


class EncodingMemory:
    """Keeps encodings up to a number of bytes; those that were not asked for longest go first."""

    def __init__(self, limit: int = 256 << 20) -> None:
        """Keep at most about so many bytes."""
        self._kept: Recent[str, Encoding] = Recent(limit, _size)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Bytes that are taken, about."""
        return self._kept.size

    def get(self, text: str) -> Encoding | None:
        """The encoding of a text, if it is still there."""
        return self._kept.get(text)

    def keep(self, text: str, encoding: Encoding) -> None:
        """Remember the encoding of a text, and forget older ones if need be."""
        # A vector of an encoder's batch would keep the whole batch alive.
        self._kept.keep(text, replace(encoding, vector=encoding.vector.copy()))


def _size(text: str, encoding: Encoding) -> int:
    close = encoding.close
    pieces = 0 if close is None else close.vectors.nbytes + close.weights.nbytes
    return sys.getsizeof(text) + encoding.vector.nbytes + pieces + ENTRY
