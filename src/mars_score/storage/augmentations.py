"""Where augmented references come from: memory, a pack, or the cache and the model; and what that cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mars_score.errors import InputError
from mars_score.fingerprint import pair_key
from mars_score.storage.leases import augment_once
from mars_score.storage.lru import LRUCache

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from mars_score.progress import StageProgress
    from mars_score.storage.cache import AugmentationCache
    from mars_score.storage.leases import Compute
    from mars_score.storage.pack import Pack
    from mars_score.types import Augmentation, Pair


# What a run has cost so far, for its last line.

_REFERENCE = 4
"""A character of a reference takes about as long as so many of a context: it is written at several ratios."""


@dataclass(slots=True)
class Costs:
    """References by where their augmentations came from, and what the language model did."""

    augmented: int = 0
    """References that were masked and filled in this process."""
    cached: int = 0
    """References that the cache had; those that another process finished meanwhile among them."""
    packed: int = 0
    """References that the pack had."""
    generated: int = 0
    """Tokens that the language model wrote into blanks."""
    seconds: float = 0.0
    """Spent on masking and filling."""
    loading: float = 0.0
    """Seconds spent on loading the models for that."""
    size: int = 0
    """How much that was, by `size_of`: the basis of estimates."""


def tokens_generated(infiller: Any) -> int:
    """How many tokens an infiller has written; 0 where it does not count."""
    return int(getattr(getattr(getattr(infiller, "engine", None), "counts", None), "generated", 0))


def size_of(pair: Pair) -> int:
    """Return how much work a reference is to augment, in units of its own."""
    return len(pair.context) + _REFERENCE * len(pair.reference)


# Augmentations at hand. Those that lie on disk too may be forgotten again, so that memory stays bounded.

RECENT = 10_000
"""Augmentations that are kept though they can be read again: a hundred megabytes, about."""


class AugmentationMemory:
    """Keeps what cannot be found elsewhere, and the most recent of what can."""

    def __init__(self, recent: int = RECENT) -> None:
        """Keep so many of those that can be read again."""
        self._kept: dict[Pair, Augmentation] = {}
        self._recent: LRUCache[Pair, Augmentation] = LRUCache(recent)

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


# Where augmented references come from: from memory, then from a pack, or else from the cache and the model.

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
