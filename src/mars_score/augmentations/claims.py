"""Who computes what: processes that meet at one cache share the work instead of doing it twice.

Before a process computes an augmentation it claims the key. Claim and look-up are one transaction, and SQLite lets
one process write at a time, so of two processes that want a key one sees the claim (or the row) of the other. A row
and the end of its claim are one transaction too: there is no moment at which a finished key looks free.

A claim is a lease: it lapses unless its owner renews it, which a thread of the owner does while the work goes on.
So a process that dies or is stopped holds nothing up for long, and a dead one on this machine not at all. If a
lease lapses though its owner lives (it was suspended), the key is computed twice; both results are the same.

Nobody waits while holding a claim, so no two processes wait for each other.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mars_score.augmentations.cache import among
from mars_score.augmentations.database import Database
from mars_score.errors import MarsError
from mars_score.sqlite_files import writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

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
