"""How our SQLite files are opened, written and set aside, and what is wrong with one that fails."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from filelock import Timeout

BESIDE = ("-wal", "-shm")
"""Files that SQLite keeps beside an open one; they belong to that one alone."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of a kind of file."""

    number: int
    """Raised when the tables change; a file of another layout is not opened."""
    tables: str
    synchronous: Literal["NORMAL", "FULL"]
    """NORMAL: the death of a process costs nothing, a power cut perhaps the last commits, never the file.
    FULL: what is committed is on disk."""
    always: tuple[str, ...] = ()
    """What is set each time the file is opened."""
    at_first: tuple[str, ...] = ()
    """What is set before a new file is written to."""


def open_file(path: Path, layout: Layout, patience: float, *, check: bool) -> sqlite3.Connection:
    """Open a file, or make it; whatever is wrong with it is a ``sqlite3.Error``.

    With a check, the whole file is read. The connection begins no transaction by itself (`writing` does), and its
    owner keeps threads apart.
    """
    db = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        for pragma in layout.always:
            db.execute(f"PRAGMA {pragma}")
        if check:
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)
        (number,) = db.execute("PRAGMA user_version").fetchone()
        if number not in (0, layout.number):
            raise sqlite3.DatabaseError(f"its layout is {number}, not {layout.number}")
        if number == 0:
            for pragma in layout.at_first:
                db.execute(f"PRAGMA {pragma}")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA synchronous = {layout.synchronous}")
        if number == 0:
            db.executescript(f"BEGIN IMMEDIATE;{layout.tables}PRAGMA user_version = {layout.number};COMMIT;")
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """A transaction that holds the right to write from its start; all of it counts, or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def move_aside(path: Path, aside: Path) -> None:
    """Give a damaged file another name; what lies beside it belongs to it, and would spoil a new one."""
    os.replace(path, aside)
    for suffix in BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


Trouble = Literal["full", "unusable", "damaged"]
_HARDLY_FREE = 1 << 20
"""Bytes; with fewer, what SQLite calls an input-output error is a full disk."""


def classify_sqlite_error(error: Exception, folder: Path) -> Trouble:
    """Say what an error of SQLite or of the system means for a file in a folder."""
    # By its words: Python has SQLite's codes only since 3.11.
    message = str(error).lower()
    perhaps_full = "disk i/o error" in message or "unable to open" in message
    no_space = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    if "disk is full" in message or no_space or (perhaps_full and _nearly_full(folder)):
        return "full"
    if isinstance(error, OSError | Timeout) or perhaps_full:
        return "unusable"
    return (
        "unusable" if any(mark in message for mark in ("locked", "busy", "readonly", "denied")) else "damaged"
    )


def _nearly_full(folder: Path) -> bool:
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free < _HARDLY_FREE


ASK = 500
"""Keys in one question; SQLite limits the variables of a statement."""


def select_keys(
    db: sqlite3.Connection, columns: str, table: str, keys: Sequence[bytes]
) -> Iterator[tuple[Any, ...]]:
    """Select the rows of a table that have one of the keys. In a damaged file, anything may stand in them."""
    for start in range(0, len(keys), ASK):
        batch = keys[start : start + ASK]
        marks = ",".join("?" * len(batch))
        yield from db.execute(f"SELECT {columns} FROM {table} WHERE key IN ({marks})", batch)
