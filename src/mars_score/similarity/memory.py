"""Encodings that are needed again: those of references, for the next system, and of candidates, for the next metric."""

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
        """Keep at most about so many bytes of references, and a sixteenth of that of candidates."""
        self._kept: Recent[str, Encoding] = Recent(limit, _size)
        # Apart: candidates come by the million, and would drive out the references.
        self._passing: Recent[str, Encoding] = Recent(limit // 16, _size)

    def __len__(self) -> int:
        return len(self._kept) + len(self._passing)

    @property
    def size(self) -> int:
        """Bytes that are taken, about."""
        return self._kept.size + self._passing.size

    def get(self, text: str) -> Encoding | None:
        """The encoding of a text, if it is still there."""
        found = self._kept.get(text)
        return self._passing.get(text) if found is None else found

    def keep(self, text: str, encoding: Encoding) -> None:
        """Remember the encoding of a reference or context, and forget older ones if need be."""
        if self._kept.get(text) is None:
            self._kept.keep(text, _own(encoding))

    def keep_for_now(self, text: str, encoding: Encoding) -> None:
        """Remember the encoding of a candidate: a relative of this metric may score the same rows next."""
        if self._passing.get(text) is None:
            self._passing.keep(text, _own(encoding))


def _own(encoding: Encoding) -> Encoding:
    """A vector of an encoder's batch would keep the whole batch alive."""
    return replace(encoding, vector=encoding.vector.copy())


def _size(text: str, encoding: Encoding) -> int:
    close = encoding.close
    pieces = 0 if close is None else close.vectors.nbytes + close.weights.nbytes
    return sys.getsizeof(text) + encoding.vector.nbytes + pieces + ENTRY
