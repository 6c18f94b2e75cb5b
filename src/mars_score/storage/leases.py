"""Each augmentation once: processes that meet at one cache share the work instead of doing it twice."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from mars_score.errors import MarsError
from mars_score.storage.cache import Database, among
from mars_score.storage.sqlite import writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mars_score.progress import StageProgress
    from mars_score.storage.augmentations import Costs
    from mars_score.storage.cache import AugmentationCache
    from mars_score.types import Augmentation, Pair

    Compute = Callable[[Sequence[Pair]], Sequence[Augmentation]]


# Who computes what: processes that meet at one cache share the work instead of doing it twice.

LEASE = 20.0
"""Seconds after which a claim that was not renewed is free again."""

log = logging.getLogger(__name__)


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
        alone: tuple[set[bytes], list[bytes]] = (set(), list(keys[:most]))
        return self.database.run(lambda db: self._take(db, keys, most), alone)

    def _take(
        self, db: sqlite3.Connection, keys: Sequence[bytes], most: int
    ) -> tuple[set[bytes], list[bytes]]:
        with writing(db):
            finished = {row[0] for row in among(db, "key", "rows", keys)}
            now = time.time()
            held = {
                key
                for key, owner, until in among(db, "key, owner, until", "claims", keys)
                if _holds(owner, until, now)
            }
            mine = [key for key in keys if key not in finished and key not in held][:most]
            db.executemany(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?)",
                [(key, self.owner, now + LEASE) for key in mine],
            )
        return finished, mine

    def release(self) -> None:
        """Give up all claims: what was not finished is free for others."""
        self.database.run(self._release, None)

    def _release(self, db: sqlite3.Connection) -> None:
        with writing(db):
            db.execute("DELETE FROM claims WHERE owner = ?", (self.owner,))

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
        database = Database(self.database.path)  # a connection of its own
        while not done.wait(LEASE / 4):
            try:
                database.run(self._renew, None)
            except MarsError as error:  # a full disk; the work itself will meet it
                log.debug("claims not renewed: %s", error)
        database.close()

    def _renew(self, db: sqlite3.Connection) -> None:
        with writing(db):
            db.execute("UPDATE claims SET until = ? WHERE owner = ?", (time.time() + LEASE, self.owner))


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
        return True
    return True


# Each augmentation once: from the cache, from whoever is computing it now, or computed here and kept.

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
    found = cache.find(pairs)
    costs.cached += len(found)
    # Pairs of like size make good portions, and those of one context stay together, as it is read once for all.
    left = sorted(
        pairs.keys() - found.keys(),
        key=lambda key: (-len(pairs[key].context), pairs[key].context, -len(pairs[key].reference), key),
    )
    claims, most = Claims(cache.database), FIRST
    while left:
        finished, mine = claims.take(left, most)
        finished &= pairs.keys()
        if finished:
            others = cache.find(finished)
            costs.cached += len(others)
            found |= others
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
            found |= computed
            most = next_portion(most, time.monotonic() - start)
        elif not finished:
            progress("waiting", len(found), len(pairs))
            time.sleep(POLL)
        left = [key for key in left if key not in found]
    return {pair: found[key] for pair, key in keys.items()}


def next_portion(most: int, seconds: float) -> int:
    """Grow or shrink portions until one takes neither too long nor too short a time."""
    if seconds < SHORT:
        return min(2 * most, LARGEST)
    return max(most // 2, SMALLEST) if seconds > LONG else most
