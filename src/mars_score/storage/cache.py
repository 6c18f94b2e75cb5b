"""The augmentation cache: one SQLite file that many processes use at once, and how it is maintained."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from mars_score.errors import ConfigError
from mars_score.io.output import failed
from mars_score.storage.pack import DamagedRowError, decode, encode
from mars_score.storage.sqlite import (
    Layout,
    classify_sqlite_error,
    move_aside,
    open_file,
    select_keys,
    writing,
)
from mars_score.types import Augmentation

# Where the cache is, and how large it may grow: from the environment, else by default.

FOLDER, SIZE = "MARS_SCORE_CACHE", "MARS_SCORE_CACHE_SIZE"
"""The variables of the environment."""
DEFAULT_SIZE = 2 << 30
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def cache_folder() -> Path:
    """Return the folder of the cache; it may not be there yet."""
    if folder := os.environ.get(FOLDER):
        return Path(folder).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("mars-score", appauthor=False)).absolute() / "augmentations"


def cache_size() -> int:
    """Return how many bytes the cache may have; 0 means that there is none."""
    text = os.environ.get(SIZE, "").strip()
    size = bytes_of(text) if text else DEFAULT_SIZE
    if size is None:
        raise ConfigError(f"{SIZE}={text}: expected a size like 500M or 2G, or 0 for no cache")
    return size


def bytes_of(text: str) -> int | None:
    """Return the bytes that a size such as 800M or 2G stands for; ``None`` if it is no size."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)\s*([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    return int(float(match[1]) * _UNITS[match[2].upper()]) if match else None


# One SQLite file that many processes use at once. If something is wrong with it, the work continues without it.

PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""
LAYOUT = Layout(
    number=1,
    tables="""
CREATE TABLE IF NOT EXISTS rows (
    key BLOB PRIMARY KEY, value BLOB NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON rows (used);
CREATE TABLE IF NOT EXISTS claims (
    key BLOB PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL
) WITHOUT ROWID;
""",
    synchronous="NORMAL",
    always=("cell_size_check = ON", f"journal_size_limit = {16 << 20}"),
    at_first=("auto_vacuum = INCREMENTAL",),  # so that it can shrink again
)
"""Its number is part of the file's name: versions of this package with other tables keep files of their own."""

log = logging.getLogger(__name__)
Answer = TypeVar("Answer")


class Database:
    """The file; opened when it is first used, again after a fork, and again when the file was replaced."""

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        """Name the file; nothing is opened or made yet."""
        self.path, self.patience = path, patience
        self.unusable = False
        """Whether the work continues without the file; a message has said why."""
        self._db: sqlite3.Connection | None = None
        self._identity: tuple[int, int, int] | None = None
        self._inherited: list[sqlite3.Connection | None] = []
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[type[Database], tuple[Path, float]]:
        return Database, (self.path, self.patience)

    def __del__(self) -> None:
        # At the end of Python the modules may have gone before.
        if os is not None and getattr(self, "_identity", None) and self._identity[0] == os.getpid():  # type: ignore[index]
            self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
        self._db = self._identity = None

    def run(self, work: Callable[[sqlite3.Connection], Answer], otherwise: Answer) -> Answer:
        """Do some work with the file; the answer without a usable file is `otherwise`.

        The work may be done twice, the second time on a new file.
        """
        with self._lock:
            for _ in range(2):
                if self.unusable:
                    break
                try:
                    return work(self._connection())
                except (sqlite3.Error, OSError, Timeout) as error:
                    self._recover(error)
        return otherwise

    def _recover(self, error: Exception) -> None:
        """Make the file usable again, or decide to do without it; a full disk is raised."""
        kind = classify_sqlite_error(error, self.path.parent)
        if kind == "full":
            self.close()
            raise failed(
                str(self.path),
                "the disk is full; augmented references cannot be kept",
                f"free some space, then run the same command again; or set {FOLDER} to another folder, "
                "or leave the cache out with --no-cache",
            ) from error
        if kind == "unusable":
            self._disable(error)
            return
        try:
            self._set_aside(error)
        except (OSError, Timeout) as problem:
            self._disable(problem)

    def _connection(self) -> sqlite3.Connection:
        if self._identity is not None and self._identity[0] != os.getpid():
            # SQLite forbids to use or close in a child what its parent opened.
            self._inherited.append(self._db)
            self._db = self._identity = None
        if self._db is not None and self._identity != self._now():
            self.close()  # another process has set the file aside, or someone has deleted it
        if self._db is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._recovery_lock:
                self._identity = self._now()  # what is there, should it turn out to be damaged
                self._db = open_file(self.path, LAYOUT, self.patience, check=False)
                self._identity = self._now()
        return self._db

    def _now(self) -> tuple[int, int, int] | None:
        """Which file this process sees at the path."""
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            return None
        return os.getpid(), stat.st_dev, stat.st_ino

    @property
    def _recovery_lock(self) -> FileLock:
        """Nobody opens the file while another sets it aside: a new file would meet the log of the old one."""
        return FileLock(f"{self.path}.lock", timeout=self.patience)

    def _set_aside(self, error: Exception) -> None:
        seen = self._identity
        self.close()
        aside = self.path.with_name(f"{self.path.name}.damaged")
        with self._recovery_lock:
            if seen is not None and seen != self._now():
                return  # another process has met the same damage, and was quicker
            move_aside(self.path, aside)
        note = "%s is damaged (%s): it is now %s, and references are augmented anew"
        log.warning(note, self.path, error, aside.name)

    def _disable(self, error: Exception) -> None:
        self.close()
        self.unusable = True
        note = "the cache %s cannot be used (%s): continuing without it; %s names another folder"
        log.warning(note, self.path, error, FOLDER)


# The augmentation cache: what was augmented once is found again, by any process of this machine.

FILE = f"augmentations-{LAYOUT.number}.sqlite"
FRESH = 3600
"""Seconds for which a use need not be recorded again: reading should not mean writing."""
KEEP = 0.9
"""What is left of the limit after the least recently used rows have gone."""


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
        augmentations, damaged = {}, []
        for key, value in stored.items():
            try:
                augmentations[key] = decode(key, value)
            except DamagedRowError:
                damaged.append(key)
        if damaged:
            log.warning("%s: %d damaged augmentations are computed again", self.database.path, len(damaged))
            statement = "DELETE FROM rows WHERE key = ?"
            self.database.run(lambda db: _write(db, statement, [(key,) for key in damaged]), None)
        if augmentations:
            self.database.run(lambda db: _touch(db, list(augmentations)), None)
        return augmentations

    def present(self, keys: Iterable[bytes]) -> set[bytes]:
        """Return which keys are there, without reading what they stand for."""
        wanted = list(dict.fromkeys(keys))
        return self.database.run(lambda db: {row[0] for row in select_keys(db, "key", "rows", wanted)}, set())

    def save(self, augmentations: Mapping[bytes, Augmentation]) -> None:
        """Keep augmentations, and give up the claims to them; all are on disk when this returns."""
        now = int(time.time())
        rows = [(key, encode(key, augmentation), now) for key, augmentation in augmentations.items()]

        def save(db: sqlite3.Connection) -> None:
            with writing(db):
                db.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", rows)
                db.executemany("DELETE FROM claims WHERE key = ?", [row[:1] for row in rows])
            if used_bytes(db) > self.size:
                _evict(db, int(KEEP * self.size))

        self.database.run(save, None)


def cache_at(option: bool | str | Path | None) -> AugmentationCache | None:
    """Return the cache that an option stands for: the default one, one in a folder, or none."""
    if option is None or option is False:
        return None
    cache = AugmentationCache(None if option is True else Path(option).expanduser().absolute())
    return cache if cache.size else None


def used_bytes(db: sqlite3.Connection) -> int:
    """Return the size of the file's content; free pages do not count, as they are used again."""
    pages, free, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _stored(db: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    rows = select_keys(db, "key, value", "rows", keys)
    return {key: value if isinstance(value, bytes) else b"" for key, value in rows}


def _write(db: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    with writing(db):
        db.executemany(statement, rows)


def _touch(db: sqlite3.Connection, keys: Sequence[bytes]) -> None:
    now = int(time.time())
    fresh = range(now - FRESH, now + 1)
    stale = [key for key, used in select_keys(db, "key, used", "rows", keys) if used not in fresh]
    # Reading must not fail because nothing can be written; damage is found by reading.
    with suppress(sqlite3.OperationalError):
        if stale:
            _write(db, "UPDATE rows SET used = ? WHERE key = ?", [(now, key) for key in stale])


def _evict(db: sqlite3.Connection, size: int) -> None:
    """Remove the least recently used rows, a tenth at a time, and give their space back."""
    with writing(db):
        (count,) = db.execute("SELECT count(*) FROM rows").fetchone()
        while count and used_bytes(db) > size:  # another process may have been here first
            oldest = "SELECT key FROM rows ORDER BY used LIMIT ?"
            count -= db.execute(f"DELETE FROM rows WHERE key IN ({oldest})", (max(1, count // 10),)).rowcount
    db.executescript("PRAGMA incremental_vacuum")  # `execute` would give back one page


# Looking after the cache: what is in it, whether all of it can be read, and away with it.


@dataclass(frozen=True, slots=True)
class Info:
    """A cache at a glance."""

    rows: int
    size: int
    """Bytes on disk, the write-ahead log among them."""
    oldest: int | None
    """When the row was used that was not used for longest: seconds since 1970."""
    set_aside: tuple[Path, ...]
    """Damaged files that were replaced."""


def info(cache: AugmentationCache) -> Info:
    """Count what is there. Nothing is made where there is no cache."""
    aside = tuple(sorted(cache.folder.glob("*.damaged")))
    if not cache.database.path.exists():
        return Info(0, 0, None, aside)
    rows, oldest = cache.database.run(
        lambda db: db.execute("SELECT count(*), min(used) FROM rows").fetchone(), (0, None)
    )
    files = [cache.database.path, cache.database.path.with_name(f"{cache.database.path.name}-wal")]
    return Info(rows, sum(path.stat().st_size for path in files if path.exists()), oldest, aside)


def clear(cache: AugmentationCache) -> int:
    """Remove every row and what was set aside; return how many rows there were. Others may keep using the file."""
    for path in cache.folder.glob("*.damaged"):
        path.unlink(missing_ok=True)
    if not cache.database.path.exists():
        return 0
    return cache.database.run(_delete_all, 0)


def _delete_all(db: sqlite3.Connection) -> int:
    with writing(db):
        count = db.execute("DELETE FROM rows").rowcount
        db.execute("DELETE FROM claims")
    db.executescript("PRAGMA incremental_vacuum")  # `execute` would give back one page
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return count


def problems(cache: AugmentationCache) -> list[str]:
    """Read everything and return what is wrong; nothing is changed."""
    path = cache.database.path
    if not path.exists():
        return []
    texts, damaged = [], 0
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=cache.database.patience)
        with closing(connection) as db:
            texts += [text for (text,) in db.execute("PRAGMA integrity_check(10)") if text != "ok"]
            for key, value in db.execute("SELECT key, value FROM rows"):
                try:
                    decode(key, value)
                except (DamagedRowError, TypeError):
                    damaged += 1
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise failed(str(path), f"{error}", "try again when other runs have ended") from error
        texts.append(str(error))
    return texts + [f"{damaged} rows do not have the checksum that they were written with"] * bool(damaged)
