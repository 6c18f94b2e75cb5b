from __future__ import annotations

import errno
import sqlite3
from typing import TYPE_CHECKING

import pytest
from filelock import Timeout

from mars_score.storage import sqlite as module
from mars_score.storage.sqlite import classify_sqlite_error

if TYPE_CHECKING:
    from pathlib import Path

FULL, UNUSABLE, DAMAGED = "full", "unusable", "damaged"


@pytest.mark.parametrize(
    ("error", "with_space", "without"),
    [
        (sqlite3.OperationalError("database or disk is full"), FULL, FULL),
        (OSError(errno.ENOSPC, "No space left on device"), FULL, FULL),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), FULL, FULL),
        (sqlite3.OperationalError("disk I/O error"), UNUSABLE, FULL),
        (sqlite3.OperationalError("unable to open database file"), UNUSABLE, FULL),
        (sqlite3.OperationalError("database is locked"), UNUSABLE, UNUSABLE),
        (sqlite3.OperationalError("attempt to write a readonly database"), UNUSABLE, UNUSABLE),
        (PermissionError(errno.EACCES, "Permission denied"), UNUSABLE, UNUSABLE),
        (Timeout("cache.lock"), UNUSABLE, UNUSABLE),
        (sqlite3.DatabaseError("file is not a database"), DAMAGED, DAMAGED),
        (sqlite3.DatabaseError("database disk image is malformed"), DAMAGED, DAMAGED),
        (sqlite3.OperationalError("no such table: rows"), DAMAGED, DAMAGED),
        (sqlite3.OperationalError("Could not decode to UTF-8 column"), DAMAGED, DAMAGED),
    ],
    ids=str,
)
def test_what_an_error_means(
    error: Exception, with_space: str, without: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "not" / "there"
    assert classify_sqlite_error(error, folder) == with_space
    monkeypatch.setattr(module, "_HARDLY_FREE", 1 << 62)
    assert classify_sqlite_error(error, folder) == without
