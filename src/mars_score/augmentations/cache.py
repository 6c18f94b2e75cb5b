"""The augmentation cache: what was augmented once is found again, by any process of this machine."""

from __future__ import annotations

import logging
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mars_score.augmentations.codec import DamagedRowError, decode, encode
from mars_score.augmentations.database import LAYOUT, Database
from mars_score.augmentations.places import cache_folder, cache_size
from mars_score.sqlite_files import writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mars_score.types import Augmentation

FILE = f"augmentations-{LAYOUT.number}.sqlite"
ASK = 500
"""Keys in one question; SQLite limits the variables of a statement."""
FRESH = 3600
"""Seconds for which a use need not be recorded again: reading should not mean writing."""
KEEP = 0.9
"""What is left of the limit after the least recently used rows have gone."""

log = logging.getLogger(__name__)


class AugmentationCache:
    """Rows by key, each with a checksum. Constructing one opens and makes nothing."""

    def __init__(self, folder: Path | None = None, size: int | None = None) -> None:
        """Name the folder and the limit in bytes; by default, what the environment says."""
        self.folder = cache_folder() if folder is None else folder
        self.size = cache_size() if size is None else size
        self.database = Database(self.folder / FILE)

    def find(self, keys: Iterable[bytes]) -> dict[bytes, Augmentation]:
        """Return what is there. A damaged row is not: it is removed with a message."""
        wanted = list(dict.fromkeys(keys))
        nothing: dict[bytes, bytes] = {}
        stored = self.database.run(lambda db: _stored(db, wanted), nothing)
        found, damaged = {}, []
        for key, value in stored.items():
            try:
                found[key] = decode(key, value)
            except DamagedRowError:
                damaged.append(key)
        if damaged:
            log.warning("%s: %d damaged augmentations are computed again", self.database.path, len(damaged))
            self.database.run(lambda db: _remove(db, damaged), None)
        if found:
            self.database.run(lambda db: _touch(db, list(found)), None)
        return found

    def present(self, keys: Iterable[bytes]) -> set[bytes]:
        """Return which keys are there, without reading what they stand for."""
        wanted = list(dict.fromkeys(keys))
        return self.database.run(lambda db: {row[0] for row in among(db, "key", "rows", wanted)}, set())

    def save(self, found: Mapping[bytes, Augmentation]) -> None:
        """Keep augmentations, and give up the claims to them; all are on disk when this returns."""
        now = int(time.time())
        rows = [(key, encode(key, one), now) for key, one in found.items()]
        self.database.run(lambda db: self._save(db, rows), None)

    def _save(self, db: sqlite3.Connection, rows: Sequence[tuple[bytes, bytes, int]]) -> None:
        with writing(db):
            db.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", rows)
            db.executemany("DELETE FROM claims WHERE key = ?", [row[:1] for row in rows])
        if used_bytes(db) > self.size:
            _evict(db, int(KEEP * self.size))


def cache_at(place: bool | str | Path | None) -> AugmentationCache | None:
    """Return the cache that an option stands for: the default one, one in a folder, or none."""
    if place is None or place is False:
        return None
    cache = AugmentationCache(None if place is True else Path(place).expanduser().absolute())
    return cache if cache.size else None


def among(
    db: sqlite3.Connection, columns: str, table: str, keys: Sequence[bytes]
) -> Iterator[tuple[Any, ...]]:
    """Select the rows of a table that have one of the keys. In a damaged file, anything may stand in them."""
    for start in range(0, len(keys), ASK):
        some = keys[start : start + ASK]
        marks = ",".join("?" * len(some))
        yield from db.execute(f"SELECT {columns} FROM {table} WHERE key IN ({marks})", some)


def used_bytes(db: sqlite3.Connection) -> int:
    """Return the size of the file's content; free pages do not count, as they are used again."""
    pages, free, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _stored(db: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    rows = among(db, "key, value", "rows", keys)
    return {key: value if isinstance(value, bytes) else b"" for key, value in rows}


def _remove(db: sqlite3.Connection, keys: Sequence[bytes]) -> None:
    with writing(db):
        db.executemany("DELETE FROM rows WHERE key = ?", [(key,) for key in keys])


def _touch(db: sqlite3.Connection, keys: Sequence[bytes]) -> None:
    now = int(time.time())
    fresh = range(now - FRESH, now + 1)
    stale = [key for key, used in among(db, "key, used", "rows", keys) if used not in fresh]
    # Whoever only reads is not to fail because nothing can be written; what is damaged is found by reading.
    with suppress(sqlite3.OperationalError):
        if stale:
            with writing(db):
                db.executemany("UPDATE rows SET used = ? WHERE key = ?", [(now, key) for key in stale])


def _evict(db: sqlite3.Connection, size: int) -> None:
    """Remove the rows that were not used for longest, a tenth at a time, and give their space back."""
    with writing(db):
        (count,) = db.execute("SELECT count(*) FROM rows").fetchone()
        while count and used_bytes(db) > size:  # another process may have been here first
            oldest = "SELECT key FROM rows ORDER BY used LIMIT ?"
            count -= db.execute(f"DELETE FROM rows WHERE key IN ({oldest})", (max(1, count // 10),)).rowcount
    db.executescript("PRAGMA incremental_vacuum")  # `execute` would give back one page
