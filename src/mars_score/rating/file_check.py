"""Which files the form refuses to open. It never makes a new one in the place of a file that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.files.output_path import failed, unwritable
from mars_score.sqlite_files import BESIDE

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from mars_score.errors import OutputError
    from mars_score.rating.sheet import Sheet

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


def damaged(path: Path, error: sqlite3.Error) -> OutputError:
    """Return the error for a file whose contents are not what was written."""
    return failed(str(path), f"is damaged ({error})", _KEEP)


def unusable(path: Path, error: sqlite3.Error) -> OutputError:
    """Return the error for a file that cannot be used now."""
    return failed(str(path), f"cannot be opened ({error})", "end other programs that use it, or chmod +w")


def other_sheet(path: Path, name: str, texts: int, sheet: Sheet) -> OutputError:
    """Return the error for ratings of other texts."""
    return failed(
        str(path),
        f"holds the ratings of another sheet ({name}, {texts} texts) than {sheet.path},"
        " or the texts of the sheet have changed since",
        "give the sheet that was rated, or name another file with --ratings-db",
    )
