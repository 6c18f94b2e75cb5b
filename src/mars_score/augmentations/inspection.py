"""Looking after the cache: what is in it, whether all of it can be read, and away with it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.augmentations.codec import DamagedRowError, decode
from mars_score.files.output_path import failed
from mars_score.sqlite_files import writing

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.augmentations.cache import AugmentationCache


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
    return Info(rows, sum(path.stat().st_size for path in _files(cache)), oldest, aside)


def clear(cache: AugmentationCache) -> int:
    """Remove every row and what was set aside; return how many rows there were. Others may go on using the file."""
    for path in cache.folder.glob("*.damaged"):
        path.unlink(missing_ok=True)
    if not cache.database.path.exists():
        return 0
    return cache.database.run(_emptied, 0)


def _emptied(db: sqlite3.Connection) -> int:
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
    found, damaged = [], 0
    try:
        with closing(
            sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=cache.database.patience)
        ) as db:
            found += [text for (text,) in db.execute("PRAGMA integrity_check(10)") if text != "ok"]
            for key, value in db.execute("SELECT key, value FROM rows"):
                try:
                    decode(key, value)
                except (DamagedRowError, TypeError):
                    damaged += 1
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise failed(str(path), f"{error}", "try again when other runs have ended") from error
        found.append(str(error))
    except sqlite3.DatabaseError as error:
        found.append(str(error))
    return found + (
        [f"{damaged} rows do not have the checksum that they were written with"] if damaged else []
    )


def _files(cache: AugmentationCache) -> list[Path]:
    path = cache.database.path
    return [file for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]
