"""The keys and values of contexts, each read once for all of its templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor


@dataclass(slots=True)
class Panel:
    """Contexts of like length that were read together."""

    numbers: list[int]
    """Which contexts these are."""
    lengths: list[int]
    store: Tensor
    """(layers, 2, C, K, L, D)."""


@dataclass(slots=True)
class Panels:
    """The contexts of a batch."""

    kv_shape: tuple[int, int, int]
    """Layers, heads, size of a head."""
    like: Tensor
    """A tensor of the right type on the right device."""
    panels: list[Panel] = field(default_factory=list)
    """In the order of their contexts' numbers."""

    @property
    def tokens(self) -> int:
        """How many tokens of contexts are held, padding included."""
        return sum(panel.store.shape[2] * panel.store.shape[4] for panel in self.panels)

    def add(self, numbers: list[int], lengths: list[int]) -> Panel:
        """Room for contexts of these lengths."""
        layers, heads, size = self.kv_shape
        # Zeros, not whatever memory holds: a masked column is multiplied by 0, and 0 times NaN is NaN.
        store = self.like.new_zeros(layers, 2, len(lengths), heads, max(lengths), size)
        self.panels.append(Panel(numbers, lengths, store))
        return self.panels[-1]

    def drop(self, needed: Iterable[int]) -> None:
        """Let go of contexts that no row needs; a panel shrinks when half of it is idle."""
        kept = []
        for panel in self.panels:
            live = [i for i, number in enumerate(panel.numbers) if number in needed]
            if live and 2 * len(live) <= len(panel.numbers):
                lengths = [panel.lengths[i] for i in live]
                store = panel.store[:, :, live, :, : max(lengths)]
                kept.append(Panel([panel.numbers[i] for i in live], lengths, store))
            elif live:
                kept.append(panel)
        self.panels = kept

    def context(self, number: int) -> Tensor:
        """Keys and values (layers, 2, K, length, D) of one context."""
        for panel in self.panels:
            if number in panel.numbers:
                index = panel.numbers.index(number)
                return panel.store[:, :, index, :, : panel.lengths[index]]
        raise KeyError(number)
