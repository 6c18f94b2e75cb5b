"""One SQLite file that many processes use at once. If something is wrong with it (`trouble`), the work goes on.

A damaged file is set aside with a message, and a new one takes its place. One that cannot be used is left out, with a
message too. Only a full disk is an error.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from filelock import FileLock, Timeout

from mars_score.augmentations.places import FOLDER
from mars_score.augmentations.trouble import disk_full, trouble
from mars_score.sqlite_files import Layout, move_aside, open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


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
        """Whether the work goes on without the file; a message has said why."""
        self._db: sqlite3.Connection | None = None
        self._identity: tuple[int, int, int] | None = None
        self._inherited: list[sqlite3.Connection | None] = []
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[type[Database], tuple[Path, float]]:
        return Database, (self.path, self.patience)

    def __del__(self) -> None:
        if getattr(self, "_identity", None) and self._identity[0] == os.getpid():  # type: ignore[index]
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
        kind = trouble(error, self.path.parent)
        if kind == "full":
            self.close()
            raise disk_full(self.path) from error
        if kind == "unusable":
            self._give_up(error)
            return
        try:
            self._set_aside(error)
        except (OSError, Timeout) as problem:
            self._give_up(problem)

    def _connection(self) -> sqlite3.Connection:
        if self._identity is not None and self._identity[0] != os.getpid():
            # SQLite forbids to use or close in a child what its parent opened.
            self._inherited.append(self._db)
            self._db = self._identity = None
        if self._db is not None and self._identity != self._now():
            self.close()  # another process has set the file aside, or someone has deleted it
        if self._db is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._gate():
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

    @contextmanager
    def _gate(self) -> Iterator[None]:
        """Nobody opens the file while another sets it aside: a new file would meet the log of the old one."""
        with FileLock(f"{self.path}.lock", timeout=self.patience):
            yield

    def _set_aside(self, error: Exception) -> None:
        seen = self._identity
        self.close()
        aside = self.path.with_name(f"{self.path.name}.damaged")
        with self._gate():
            if seen is not None and seen != self._now():
                return  # another process has met the same damage, and was quicker
            move_aside(self.path, aside)
        log.warning(
            "%s is damaged (%s): it is now %s, and references are augmented anew",
            self.path,
            error,
            aside.name,
        )

    def _give_up(self, error: Exception) -> None:
        self.close()
        self.unusable = True
        log.warning(
            "the cache %s cannot be used (%s): going on without it; %s names another folder",
            self.path, error, FOLDER,
        )  # fmt: skip
