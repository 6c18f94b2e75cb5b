"""Where augmented references come from: memory, a pack, or the cache and the model; and what that cost.

Processes that meet at one cache share the work instead of doing it twice: each claims what it computes.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mars_score.errors import InputError, MarsError
from mars_score.fingerprint import pair_key
from mars_score.storage.cache import AugmentationCache, Database
from mars_score.storage.lru import LRUCache
from mars_score.storage.sqlite import select_keys, writing
from mars_score.types import Augmentation, Pair

if TYPE_CHECKING:
    import sqlite3

    from mars_score.progress import StageProgress
    from mars_score.storage.pack import Pack

    Compute = Callable[[Sequence[Pair]], Sequence[Augmentation]]


log = logging.getLogger(__name__)

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
        lookups = {pair: self._kept.get(pair) or self._recent.get(pair) for pair in pairs}
        return {pair: augmentation for pair, augmentation in lookups.items() if augmentation is not None}

    def keep(self, augmentations: Mapping[Pair, Augmentation], *, on_disk: bool = False) -> None:
        """Remember augmentations: for good, or if they are on disk, for a while."""
        if not on_disk:
            self._kept.update(augmentations)
            return
        for pair, augmentation in augmentations.items():
            self._recent.keep(pair, augmentation)


# Who computes what: processes that meet at one cache share the work instead of doing it twice.

LEASE = 20.0
"""Seconds after which a claim that was not renewed is free again."""


class Claims:
    """The claims of one worker."""

    def __init__(self, database: Database) -> None:
        """Work in the cache's own file."""
        self.database = database
        self.owner = f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"

    def take(self, keys: Sequence[bytes], most: int) -> tuple[set[bytes], list[bytes]]:
        """Claim up to so many of the keys that are free; return those that are finished, and those claimed.

        Without a usable file there is nobody to share with, and the first keys are free.
        """

        def claim(db: sqlite3.Connection) -> tuple[set[bytes], list[bytes]]:
            with writing(db):
                finished = {row[0] for row in select_keys(db, "key", "rows", keys)}
                now = time.time()
                claims = select_keys(db, "key, owner, until", "claims", keys)
                held = {key for key, owner, until in claims if _holds(owner, until, now)}
                mine = [key for key in keys if key not in finished and key not in held][:most]
                rows = [(key, self.owner, now + LEASE) for key in mine]
                db.executemany("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", rows)
            return finished, mine

        alone: tuple[set[bytes], list[bytes]] = (set(), list(keys[:most]))
        return self.database.run(claim, alone)

    def release(self) -> None:
        """Give up all claims: what was not finished is free for others."""

        def delete(db: sqlite3.Connection) -> None:
            with writing(db):
                db.execute("DELETE FROM claims WHERE owner = ?", (self.owner,))

        self.database.run(delete, None)

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renew the claims while the block runs."""
        done = threading.Event()
        thread = threading.Thread(target=self._renew_until, args=(done,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _renew_until(self, done: threading.Event) -> None:
        def renew(db: sqlite3.Connection) -> None:
            with writing(db):
                db.execute("UPDATE claims SET until = ? WHERE owner = ?", (time.time() + LEASE, self.owner))

        database = Database(self.database.path)  # a connection of its own
        while not done.wait(LEASE / 4):
            try:
                database.run(renew, None)
            except MarsError as error:  # a full disk; the work itself will meet it
                log.debug("claims not renewed: %s", error)
        database.close()


def _holds(owner: object, until: object, now: float) -> bool:
    """Whether a claim counts. One from the future does not: the clock was set back."""
    if not isinstance(owner, str) or not isinstance(until, float) or not now < until <= now + LEASE + 1:
        return False
    host, _, rest = owner.partition("/")
    process = rest.partition("/")[0]
    return host != socket.gethostname() or not process.isdecimal() or _runs(int(process))


def _runs(process: int) -> bool:
    """Whether a process of this machine runs; where that cannot be asked without harm, yes."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


SMALLEST, FIRST, LARGEST = 8, 32, 512
"""Pairs in a portion. The decoder is at its best with some hundred templates; a pair has three."""
SHORT, LONG = 10.0, 40.0
"""Seconds that a portion should take: so much may be lost, and so long the others wait for it."""
POLL = 0.5
"""Seconds between two looks at what others are computing."""


def augment_once(
    cache: AugmentationCache,
    keys: Mapping[Pair, bytes],
    compute: Compute,
    costs: Costs,
    progress: StageProgress,
) -> dict[Pair, Augmentation]:
    """Return the augmentation of each pair; what no process has computed yet is computed here, and kept."""
    pairs = {key: pair for pair, key in keys.items()}
    augmentations = cache.find(pairs)
    costs.cached += len(augmentations)
    # Pairs of like size make good portions, and those of one context stay together, as it is read once for all.
    left = sorted(
        pairs.keys() - augmentations.keys(),
        key=lambda key: (-len(pairs[key].context), pairs[key].context, -len(pairs[key].reference), key),
    )
    claims, most = Claims(cache.database), FIRST
    while left:
        finished, mine = claims.take(left, most)
        finished &= pairs.keys()
        if finished:
            others = cache.find(finished)
            costs.cached += len(others)
            augmentations |= others
            mine += [key for key in finished if key not in others]  # damaged rows
        if mine:
            start = time.monotonic()
            try:
                with claims.renewed():
                    computed = dict(zip(mine, compute([pairs[key] for key in mine]), strict=True))
                cache.save(computed)
            except BaseException:
                with suppress(MarsError):  # a full disk, say; then the claims lapse
                    claims.release()
                raise
            augmentations |= computed
            most = next_portion(most, time.monotonic() - start)
        elif not finished:
            progress("waiting", len(augmentations), len(pairs))
            time.sleep(POLL)
        left = [key for key in left if key not in augmentations]
    return {pair: augmentations[key] for pair, key in keys.items()}


def next_portion(most: int, seconds: float) -> int:
    """Grow or shrink portions until one takes neither too long nor too short a time."""
    if seconds < SHORT:
        return min(2 * most, LARGEST)
    return max(most // 2, SMALLEST) if seconds > LONG else most


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
        augmentations = memory.find(rows)
        new = [pair for pair in rows if pair not in augmentations]
        if new:
            if self.pack is not None:
                signature()  # a pack that does not fit is refused
                fresh = {pair: self._packed(self.pack, pair, rows[pair]) for pair in new}
            elif self.cache is None:
                fresh = dict(zip(new, compute(new), strict=True))
            else:
                fresh = augment_once(self.cache, _keys(signature(), new), compute, self.costs, progress)
            on_disk = self.pack is not None or (self.cache is not None and not self.cache.database.unusable)
            memory.keep(fresh, on_disk=on_disk)
            augmentations |= fresh
        return {pair: augmentations[pair] for pair in rows}

    def absent(self, pairs: Sequence[Pair], settings: Hashable, signature: Callable[[], str]) -> list[Pair]:
        """Return the pairs that would have to be computed, or that a pack does not have."""
        augmentations = self.memory(settings).find(pairs)
        new = [pair for pair in pairs if pair not in augmentations]
        if self.pack is not None:
            signature()  # a pack that does not fit is refused
            return [pair for pair in new if self.pack.find(pair) is None]
        if self.cache is None or not new:
            return new
        keys = _keys(signature(), new)
        present = self.cache.present(keys.values())
        return [pair for pair in new if keys[pair] not in present]

    def _packed(self, pack: Pack, pair: Pair, row: str) -> Augmentation:
        augmentation = pack.find(pair)
        if augmentation is None:
            text = pair.reference if len(pair.reference) <= _SHOWN else f"{pair.reference[:_SHOWN]}…"
            raise InputError(
                f"the pack does not have the reference {text!r} of row {row!r} with its context",
                path=pack.path,
                remedy="make a pack of these rows: mars-score augment DATA -o refs.marspack; or leave out --pack",
            )
        self.costs.packed += 1
        return augmentation


def _keys(signature: str, pairs: Iterable[Pair]) -> dict[Pair, bytes]:
    return {pair: pair_key(signature, pair) for pair in pairs}
