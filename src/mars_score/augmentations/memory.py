"""Augmentations at hand. Those that lie on disk too may be forgotten again, so that memory stays bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mars_score.types import Augmentation, Pair

RECENT = 10_000
"""Augmentations that are kept though they can be read again: a hundred megabytes, about."""


class AugmentationMemory:
    """Keeps what cannot be found elsewhere, and the most recent of what can."""

    def __init__(self, recent: int = RECENT) -> None:
        """Keep so many of those that can be read again."""
        self._kept: dict[Pair, Augmentation] = {}
        self._recent: Recent[Pair, Augmentation] = Recent(recent)

    def __len__(self) -> int:
        return len(self._kept) + len(self._recent)

    def find(self, pairs: Iterable[Pair]) -> dict[Pair, Augmentation]:
        """Return those of the pairs that are here."""
        found = {}
        for pair in pairs:
            one = self._kept.get(pair) or self._recent.get(pair)
            if one is not None:
                found[pair] = one
        return found

    def keep(self, found: Mapping[Pair, Augmentation], *, on_disk: bool = False) -> None:
        """Remember augmentations: for good, or if they are on disk, for a while."""
        if not on_disk:
            self._kept.update(found)
            return
        for pair, one in found.items():
            self._recent.keep(pair, one)
