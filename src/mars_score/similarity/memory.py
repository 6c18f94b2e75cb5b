"""Encodings that are needed again: those of references, for the next system."""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mars_score.similarity.base import Encoding

ENTRY = 500
"""Bytes that an entry takes beside its text and its numbers, about."""


class EncodingMemory:
    """Keeps encodings up to a number of bytes; those that were not asked for longest go first."""

    def __init__(self, limit: int = 256 << 20) -> None:
        """Keep at most about so many bytes."""
        self.limit, self.size = limit, 0
        self._kept: OrderedDict[str, Encoding] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, text: str) -> Encoding | None:
        """The encoding of a text, if it is still there."""
        found = self._kept.get(text)
        if found is not None:
            self._kept.move_to_end(text)
        return found

    def keep(self, text: str, encoding: Encoding) -> None:
        """Remember the encoding of a text, and forget older ones if need be."""
        if text not in self._kept:
            # A vector of an encoder's batch would keep the whole batch alive.
            self._kept[text] = replace(encoding, vector=encoding.vector.copy())
            self.size += _size(text, encoding)
        self._kept.move_to_end(text)
        while self.size > self.limit:
            self.size -= _size(*self._kept.popitem(last=False))


def _size(text: str, encoding: Encoding) -> int:
    return sys.getsizeof(text) + encoding.vector.nbytes + ENTRY
