"""Memory: a cache of bounded size, which drops what was least recently used; free pages are given back."""

from __future__ import annotations

import ctypes
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LRUCache(Generic[Key, Value]):
    """Keeps values up to a total size.

    ``cachetools.LRUCache`` raises an error for a value larger than the limit and replaces values that are there;
    here the former is not kept and the latter stay, and thirty lines are no reason for a dependency.
    """

    def __init__(self, limit: int, size_of: Callable[[Key, Value], int] = lambda key, value: 1) -> None:
        """Keep at most `limit`, in the units of `size_of`; by default, so many values."""
        self.limit, self.size = limit, 0
        self._size_of = size_of
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Value | None:
        """The value, if it is still there."""
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def keep(self, key: Key, value: Value) -> None:
        """Remember a value, unless one is there already, and forget older ones if need be."""
        if key not in self._kept:
            self._kept[key] = value
            self.size += self._size_of(key, value)
        self._kept.move_to_end(key)
        while self.size > self.limit:
            self.size -= self._size_of(*self._kept.popitem(last=False))

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self.size = 0


def malloc_trim() -> None:
    """Return free pages to the system, where the C library can (glibc); elsewhere nothing happens.

    Decoding allocates and frees tensors of many sizes. The C library keeps what was freed, in holes between what
    is in use, and a long job would hold a few hundred megabytes that nothing needs.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
