"""Ratings on disk, and how far raters are. An answer counts when it is committed and flushed to the disk."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mars_score.errors import InputError, OutputError
from mars_score.io.output import failed, unwritable
from mars_score.storage.sqlite import BESIDE, Layout, classify_sqlite_error, open_file, writing
from mars_score.study.augmentation_ratings import QUESTIONS
from mars_score.web.rating.questions import rater_key

if TYPE_CHECKING:
    from types import TracebackType

    from mars_score.web.rating.sheet import Sheet, SheetText


APPLICATION = 0x4D52_4154
"""Marks a SQLite file as one of ratings ("MRAT")."""
_MAGIC = b"SQLite format 3\0"
_MARK = slice(68, 72)
"""Where SQLite keeps the mark."""
_KEEP = "it was left as it is; restore a copy of it, or name another file with --ratings-db"


def check_file(path: Path) -> None:
    """Refuse a file of something else, before SQLite writes into it or throws away the log beside it."""
    try:
        head = b""
        if path.exists():
            with open(path, "rb") as stream:
                head = stream.read(_MARK.stop)
    except OSError as error:
        raise unwritable(path, error) from error
    if not path.parent.is_dir():
        raise unwritable(path, FileNotFoundError())
    if not head:
        log = path.with_name(path.name + BESIDE[0])
        if log.exists() and log.stat().st_size:
            raise failed(
                str(path),
                f"{'is empty' if path.exists() else 'is gone'}, but {log.name} is still there and may hold ratings",
                "put the file back beside it, or move it away to begin anew",
            )
    elif not head.startswith(_MAGIC):
        raise failed(str(path), "is damaged, or no file of ratings", _KEEP)
    elif int.from_bytes(head[_MARK], "big") != APPLICATION:
        raise failed(str(path), "is a database of something else than ratings", _KEEP)


LAYOUT = Layout(
    number=1,
    tables="""
CREATE TABLE IF NOT EXISTS sheet (hash TEXT NOT NULL, name TEXT NOT NULL, texts INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS raters (key TEXT PRIMARY KEY, name TEXT NOT NULL, since TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, rater TEXT NOT NULL REFERENCES raters (key), code TEXT NOT NULL,
    question TEXT NOT NULL, rating INTEGER NOT NULL, given TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_rater ON answers (rater, code, question, number);
""",
    synchronous="FULL",
    always=("cell_size_check = ON", "foreign_keys = ON"),
    at_first=(f"application_id = {APPLICATION}",),
)
PATIENCE = 20.0
"""Seconds to wait for another process that is writing."""
_LAST = "max(number)"
"""In a group of rows; SQLite then takes the other columns from the row that has the maximum."""


class NotSavedError(OutputError):
    """An answer that is not on disk; the message is for raters."""

    def __init__(self, reason: str, *, full: bool = False) -> None:
        super().__init__(f"{reason} Please tell the people who run this study.")
        self.full = full
        """Whether the disk is full."""


@dataclass(frozen=True, slots=True)
class RatingAnswer:
    """One answer to one question about one text."""

    rater: str
    code: str
    question: str
    rating: int


class RatingStore:
    """The file of one sheet's ratings; open it with ``with``. Threads may share it, and processes the file."""

    def __init__(self, path: Path, sheet: Sheet, *, make: bool, patience: float = PATIENCE) -> None:
        """Open the file; make it if there is none, unless it is only to be read."""
        self.path = path
        self._lock = threading.Lock()
        if not make and not path.exists():
            raise InputError(
                "there is no such file of ratings",
                path=path,
                remedy="collect ratings with --serve first, or name their file with --ratings-db",
            )
        check_file(path)
        try:
            self._db = open_file(path, LAYOUT, patience, check=True)
        except sqlite3.Error as error:
            raise _cannot_open(path, error) from error
        try:
            self._identity = self._now()
            self._claim(sheet)
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> RatingStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def rater(self, name: str) -> str | None:
        """Return a rater's name as it was first spelt; ``None`` for an unknown rater."""
        rows = self._read("SELECT name FROM raters WHERE key = ?", rater_key(name))
        return str(rows[0][0]) if rows else None

    def raters(self) -> list[str]:
        """Name the raters, in the order in which they came."""
        return [name for (name,) in self._read("SELECT name FROM raters ORDER BY rowid")]

    def add_rater(self, name: str) -> str:
        """Make a rater known, and return the name as it was first spelt."""
        with self._saving() as db:
            db.execute("INSERT OR IGNORE INTO raters VALUES (?, ?, ?)", (rater_key(name), name, _time()))
        return self.rater(name) or name

    def save(self, rater: str, code: str, ratings: Mapping[str, int]) -> None:
        """Save a rater's answers about a text, by question. They are on disk when this returns without an error."""
        key = rater_key(rater)
        with self._saving() as db:
            for question, rating in ratings.items():
                last = db.execute(
                    "SELECT rating FROM answers WHERE rater = ? AND code = ? AND question = ?"
                    " ORDER BY number DESC LIMIT 1",
                    (key, code, question),
                ).fetchone()
                # An answer that is sent again, by the form or by a retry, is one answer.
                if last != (rating,):
                    db.execute(
                        "INSERT INTO answers (rater, code, question, rating, given) VALUES (?, ?, ?, ?, ?)",
                        (key, code, question, rating, _time()),
                    )

    def answers_of(self, rater: str) -> dict[str, dict[str, int]]:
        """Return the answers of a rater that count, by code and question."""
        answers: dict[str, dict[str, int]] = {}
        rows = self._read(
            f"SELECT code, question, rating, {_LAST} FROM answers WHERE rater = ? GROUP BY code, question",
            rater_key(rater),
        )
        for code, question, rating, _ in rows:
            answers.setdefault(code, {})[question] = rating
        return answers

    def answers(self) -> list[RatingAnswer]:
        """Return the answers of all raters that count, in the order in which they were given."""
        return self._all(f"{_LAST} AS place", "GROUP BY rater, code, question")

    def history(self) -> list[RatingAnswer]:
        """Return all answers that were ever given."""
        return self._all("number AS place", "")

    def _all(self, place: str, grouping: str) -> list[RatingAnswer]:
        rows = self._read(
            f"SELECT name, code, question, rating, {place} FROM answers JOIN raters ON raters.key = rater"
            f" {grouping} ORDER BY place"
        )
        return [RatingAnswer(*row[:-1]) for row in rows]

    def _read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._db.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise NotSavedError(f"The ratings cannot be read ({error}).") from error

    @contextmanager
    def _saving(self) -> Iterator[sqlite3.Connection]:
        """Commit what is done in the block; a failure is ``NotSavedError``, and nothing of the block counts."""
        with self._lock:
            if self._now() != self._identity:
                # An open file that was deleted or replaced can be written to, but nobody would ever read it.
                raise NotSavedError("The file of ratings was moved or deleted while the form was running.")
            try:
                with writing(self._db):
                    yield self._db
            except sqlite3.Error as error:
                kind = classify_sqlite_error(error, self.path.parent)
                if kind == "full":
                    raise NotSavedError("The disk that keeps the ratings is full.", full=True) from error
                raise NotSavedError(f"The ratings cannot be written ({error}).") from error

    def _claim(self, sheet: Sheet) -> None:
        """Make a new file the sheet's own; refuse another sheet's."""
        try:
            with writing(self._db):
                stored = self._db.execute("SELECT hash, name, texts FROM sheet").fetchone()
                if stored is None:
                    stored = (sheet.hash, sheet.path.name, len(sheet.texts))
                    self._db.execute("INSERT INTO sheet VALUES (?, ?, ?)", stored)
        except sqlite3.Error as error:
            raise _cannot_open(self.path, error) from error
        if stored[0] != sheet.hash:
            raise failed(
                str(self.path),
                f"holds the ratings of another sheet ({stored[1]}, {stored[2]} texts) than {sheet.path},"
                " or the texts of the sheet have changed since",
                "give the sheet that was rated, or name another file with --ratings-db",
            )

    def _now(self) -> tuple[int, int] | None:
        """Which file is at the path."""
        try:
            stat = os.stat(self.path)
        except OSError:
            return None
        return stat.st_dev, stat.st_ino


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one rater is."""

    rater: str
    answers: int
    rated: int
    """Texts with an answer to every question."""
    texts: int

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.rated == self.texts


def is_rated(text: SheetText, answers: Mapping[str, Mapping[str, int]]) -> bool:
    """Tell whether every question about a text is answered."""
    return all(question in answers.get(text.code, {}) for question in QUESTIONS)


def progress_of(sheet: Sheet, store: RatingStore, rater: str) -> Progress:
    """Count what a rater has done."""
    answers = store.answers_of(rater)
    rated = sum(is_rated(text, answers) for text in sheet.texts)
    return Progress(rater, sum(map(len, answers.values())), rated, len(sheet.texts))


def _cannot_open(path: Path, error: sqlite3.Error) -> OutputError:
    kind = classify_sqlite_error(error, path.parent)
    if kind == "full":
        return failed(str(path), "the disk is full", "free some space; no rating is lost")
    if kind == "unusable":
        return failed(str(path), f"cannot be opened ({error})", "end other programs that use it, or chmod +w")
    return failed(str(path), f"is damaged ({error})", _KEEP)


def _time() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
