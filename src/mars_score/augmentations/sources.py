"""Where augmented references come from: from memory, then from a pack, or else from the cache and the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.augmentations.costs import Costs
from mars_score.augmentations.keys import pair_key
from mars_score.augmentations.memory import AugmentationMemory
from mars_score.augmentations.once import augment_once
from mars_score.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from mars_score.augmentations.cache import AugmentationCache
    from mars_score.augmentations.once import Compute
    from mars_score.augmentations.pack_reading import Pack
    from mars_score.progress import StageProgress
    from mars_score.types import Augmentation, Pair

_SHOWN = 60


class Augmentations:
    """All augmented references that a scorer and its siblings know of, whatever their settings."""

    def __init__(self, cache: AugmentationCache | None, pack: Pack | None) -> None:
        """Take a cache, a pack, or neither. With a pack nothing is computed, so the cache is not needed."""
        self.cache, self.pack, self.costs = cache, pack, Costs()
        self._memories: dict[Hashable, AugmentationMemory] = {}

    def memory(self, settings: Hashable) -> AugmentationMemory:
        """What is at hand for some settings."""
        return self._memories.setdefault(settings, AugmentationMemory())

    def find(
        self,
        rows: Mapping[Pair, str],
        settings: Hashable,
        signature: Callable[[], str],
        compute: Compute,
        progress: StageProgress,
    ) -> dict[Pair, Augmentation]:
        """Return the augmentation of every pair; each is given with the id of a row, for messages.

        The signature is that of augmentations; it is asked for only if something is not at hand.
        """
        memory = self.memory(settings)
        found = memory.find(rows)
        new = [pair for pair in rows if pair not in found]
        if new:
            fresh = self._fresh(new, rows, signature, compute, progress)
            on_disk = self.pack is not None or (self.cache is not None and not self.cache.database.unusable)
            memory.keep(fresh, on_disk=on_disk)
            found |= fresh
        return {pair: found[pair] for pair in rows}

    def absent(self, pairs: Sequence[Pair], settings: Hashable, signature: Callable[[], str]) -> list[Pair]:
        """Return the pairs that would have to be computed, or that a pack does not have."""
        found = self.memory(settings).find(pairs)
        new = [pair for pair in pairs if pair not in found]
        if self.pack is not None:
            signature()  # a pack that does not fit is refused
            return [pair for pair in new if self.pack.find(pair) is None]
        if self.cache is None or not new:
            return new
        name = signature()
        keys = {pair: pair_key(name, pair) for pair in new}
        present = self.cache.present(keys.values())
        return [pair for pair in new if keys[pair] not in present]

    def _fresh(
        self,
        new: Sequence[Pair],
        rows: Mapping[Pair, str],
        signature: Callable[[], str],
        compute: Compute,
        progress: StageProgress,
    ) -> dict[Pair, Augmentation]:
        if self.pack is not None:
            signature()  # a pack that does not fit is refused
            return {pair: self._packed(self.pack, pair, rows[pair]) for pair in new}
        if self.cache is None:
            return dict(zip(new, compute(new), strict=True))
        name = signature()
        keys = {pair: pair_key(name, pair) for pair in new}
        return augment_once(self.cache, keys, compute, self.costs, progress)

    def _packed(self, pack: Pack, pair: Pair, row: str) -> Augmentation:
        found = pack.find(pair)
        if found is None:
            text = pair.reference if len(pair.reference) <= _SHOWN else f"{pair.reference[:_SHOWN]}…"
            raise InputError(
                f"the pack does not have the reference {text!r} of row {row!r} with its context",
                path=pack.path,
                remedy="make a pack of these rows: mars-score augment DATA -o refs.marspack; or leave out --pack",
            )
        self.costs.packed += 1
        return found
