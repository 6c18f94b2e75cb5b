"""What was computed, on disk: scores by metric and texts, and whatever else is too costly to compute twice.

Everything is found by its fingerprint, so that nothing is ever out of date: a changed row, another setting or
another algorithm is simply not there yet. Each write is one transaction: killing the process loses at most the
rows at hand.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mars_score.errors import OutputError
from mars_score.fingerprint import fingerprint
from mars_score.io.output import failed
from mars_score.storage.sqlite import Layout, move_aside, open_file, select_keys, writing
from mars_score.types import Example

FILE = "scores.sqlite"
"""The file's name in the folder of a study."""
LAYOUT = Layout(
    number=1,
    tables="""
CREATE TABLE IF NOT EXISTS scores (
    key BLOB PRIMARY KEY, score REAL, flags TEXT NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
""",
    synchronous="NORMAL",
)
"""A file of another layout is set aside."""
_PATIENCE = 60.0
"""Seconds to wait for another process that writes to the same file."""


@dataclass(frozen=True, slots=True)
class StoredScore:
    """One metric's score of one row."""

    score: float | None
    flags: tuple[str, ...]
    seconds: float
    """The row's share of the time that its chunk took."""


def text_digest(example: Example) -> bytes:
    """Return the hash of a row's texts. Its id plays no part."""
    return fingerprint("texts", example.candidate, example.references, example.context, example.question)


def row_key(signature: str, texts: bytes) -> bytes:
    """Return the key of what a signature stands for on a row: the row is given by the hash of its texts."""
    return fingerprint(signature, texts.hex())


class ScoreStore:
    """A file of scores; open it with ``with``."""

    def __init__(self, folder: str | Path) -> None:
        """Open the folder's file, or make folder and file. A damaged file is set aside; `notice` then says so."""
        self.path = Path(folder) / FILE
        self.notice: str | None = None
        """A message about the file for the user, if any."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise failed(
                str(self.path.parent), f"cannot be made: {error.strerror}", "name another folder"
            ) from error
        self._db = self._open()

    def __enter__(self) -> ScoreStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def scores(self, keys: Iterable[bytes]) -> dict[bytes, StoredScore]:
        """Return the scores that are there."""
        wanted = list(dict.fromkeys(keys))
        rows = select_keys(self._db, "key, score, flags, seconds", "scores", wanted)
        return {key: StoredScore(score, tuple(json.loads(flags)), took) for key, score, flags, took in rows}

    def add_scores(self, entries: dict[bytes, StoredScore]) -> None:
        """Save scores; they are on disk when this returns. What is not finite is saved as undefined."""
        rows = [(key, _finite(s.score), json.dumps(s.flags), s.seconds) for key, s in entries.items()]
        self._write("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?)", rows)

    def get(self, key: bytes) -> Any:
        """Return a value that was kept, or ``None``."""
        row = self._db.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def keep(self, values: dict[bytes, object]) -> None:
        """Save values that JSON can hold."""
        rows = [(key, json.dumps(value, allow_nan=False)) for key, value in values.items()]
        self._write("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            with writing(self._db):
                self._db.executemany(statement, rows)
        except sqlite3.Error as error:
            raise failed(
                str(self.path),
                f"cannot be written: {error}",
                "free some space, then run the same command again",
            ) from error

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except sqlite3.OperationalError as error:
            raise _cannot_be_used(self.path, error) from error
        except sqlite3.DatabaseError as error:
            aside = self._set_aside()
            self.notice = (
                f"{self.path} cannot be read ({error}); it is now {aside.name}, and scores are computed anew"
            )
        try:
            return self._connected()
        except sqlite3.Error as error:
            raise _cannot_be_used(self.path, error) from error

    def _connected(self) -> sqlite3.Connection:
        return open_file(self.path, LAYOUT, _PATIENCE, check=True)

    def _set_aside(self) -> Path:
        number = 1
        while (aside := self.path.with_name(f"{FILE}.damaged-{number}")).exists():
            number += 1
        move_aside(self.path, aside)
        return aside


def _finite(score: float | None) -> float | None:
    return score if score is not None and math.isfinite(score) else None


def _cannot_be_used(path: Path, error: sqlite3.Error) -> OutputError:
    return failed(
        str(path),
        f"cannot be opened: {error}",
        "name a folder that you may write to, and end other runs that use the same one",
    )
