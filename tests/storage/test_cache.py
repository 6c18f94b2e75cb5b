"""The cache: nothing is lost, nothing is wrong, and nothing about it stops the work but a full disk."""

from __future__ import annotations

import logging
import os
import pickle
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ConfigError, OutputError
from mars_score.storage import cache as cache_module
from mars_score.storage.cache import (
    DEFAULT_SIZE,
    FILE,
    AugmentationCache,
    Info,
    cache_at,
    cache_folder,
    cache_size,
    clear,
    info,
    problems,
)
from mars_score.storage.sqlite import ASK
from tests.unprivileged import unprivileged

from .samples import augmentation

if TYPE_CHECKING:
    from pathlib import Path

FOUND = {bytes([i]) * 32: augmentation(i) for i in range(20)}


def changed(path: Path, offset: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= 1 << bit
    path.write_bytes(data)


def checkpointed(cache: AugmentationCache) -> Path:
    """Close the file, so that all is in it and nothing in its log."""
    cache.database.close()
    assert not cache.database.path.with_name(f"{FILE}-wal").exists()
    return cache.database.path


def test_what_was_saved_is_found(cache: AugmentationCache) -> None:
    cache.save(FOUND)
    assert cache.find([*FOUND, b"x" * 32]) == FOUND
    assert cache.present([b"x" * 32, next(iter(FOUND))]) == {next(iter(FOUND))}
    assert AugmentationCache().find(FOUND) == FOUND


def test_making_a_cache_makes_nothing(folder: Path) -> None:
    AugmentationCache()
    assert not folder.exists()


def test_more_keys_than_one_question_holds(cache: AugmentationCache) -> None:
    many = {i.to_bytes(32, "big"): augmentation(i) for i in range(2 * ASK + 1)}
    cache.save(many)
    assert cache.find(many) == many


def test_it_travels_to_other_processes(cache: AugmentationCache) -> None:
    cache.save(FOUND)
    again = pickle.loads(pickle.dumps(cache))
    assert (again.folder, again.size) == (cache.folder, cache.size)
    assert again.find(FOUND) == FOUND


FORKED = """
import os, sys
from mars_score.storage.cache import AugmentationCache
from tests.storage.test_cache import FOUND
cache = AugmentationCache()
cache.save(FOUND)
child = os.fork()
if child == 0:  # what the parent has opened is not used here
    os._exit(0 if cache.find(FOUND) == FOUND and len(cache.database._inherited) == 1 else 1)
assert os.waitpid(child, 0)[1] == 0
assert cache.find(FOUND) == FOUND
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_opens_its_own(folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", FORKED], check=True, env=environment)


def test_a_damaged_row_is_computed_again(cache: AugmentationCache, caplog: pytest.LogCaptureFixture) -> None:
    cache.save(FOUND)
    key = next(iter(FOUND))
    with closing(sqlite3.connect(cache.database.path)) as db, db:
        (value,) = db.execute("SELECT value FROM rows WHERE key = ?", (key,)).fetchone()
        db.execute("UPDATE rows SET value = ? WHERE key = ?", (value[:-1] + b"?", key))
    assert problems(cache) == ["1 rows do not have the checksum that they were written with"]
    assert cache.find(FOUND) == {name: item for name, item in FOUND.items() if name != key}
    assert "1 damaged augmentations are computed again" in caplog.text
    assert cache.present([key]) == set()
    assert problems(cache) == []


@pytest.mark.parametrize("damage", ["no database", "cut off", "another layout", "page", "empty folder"])
def test_a_damaged_file_is_set_aside(
    cache: AugmentationCache, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    cache.save(FOUND)
    path = checkpointed(cache)
    before = path.read_bytes()
    if damage == "no database":
        path.write_bytes(b"This is a letter to my aunt. " * 200)
    elif damage == "cut off":
        path.write_bytes(before[: len(before) // 2])
    elif damage == "another layout":
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version = 77")
    elif damage == "page":
        path.write_bytes(before[:4096] + os.urandom(len(before) - 4096))
    else:
        path.unlink()  # someone tidied up: no damage, and no message
    assert cache.find(FOUND) == {}
    cache.save(FOUND)
    assert cache.find(FOUND) == FOUND
    assert ("is damaged" in caplog.text) == (damage != "empty folder")
    assert path.with_name(f"{FILE}.damaged").exists() == (damage != "empty folder")
    assert len(caplog.records) == (damage != "empty folder")


def test_two_processes_set_one_file_aside_once(
    cache: AugmentationCache, caplog: pytest.LogCaptureFixture
) -> None:
    cache.save(FOUND)
    other = AugmentationCache()
    assert other.find(FOUND) == FOUND
    path = cache.database.path
    other.database.close()
    checkpointed(cache)
    path.write_bytes(b"x" * 9000)
    assert cache.find(FOUND) == {}
    cache.save(FOUND)
    assert other.find(FOUND) == FOUND  # in the new file
    assert len(caplog.records) == 1


def test_whoever_still_has_the_old_file_open_takes_the_new_one(cache: AugmentationCache) -> None:
    cache.save(FOUND)
    other = AugmentationCache()
    other.save(FOUND)
    cache.database._set_aside(ValueError("found damaged by hand"))
    assert cache.find(FOUND) == {}
    assert other.find(FOUND) == {}
    other.save(FOUND)
    assert cache.find(FOUND) == FOUND


def test_a_folder_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    cache = AugmentationCache(tmp_path / "file" / "cache")
    cache.save(FOUND)
    assert cache.find(FOUND) == {}
    assert cache.database.unusable
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "continuing without it; MARS_SCORE_CACHE names another folder" in caplog.text


def test_a_folder_that_may_not_be_written(caplog: pytest.LogCaptureFixture) -> None:
    with unprivileged() as folder:
        folder.chmod(0o500)
        cache = AugmentationCache(folder)
        cache.save(FOUND)
        assert cache.find(FOUND) == {}
        folder.chmod(0o700)
    assert "continuing without it" in caplog.text


def test_a_file_that_stays_locked(cache: AugmentationCache, caplog: pytest.LogCaptureFixture) -> None:
    cache.save(FOUND)
    hasty = AugmentationCache()
    hasty.database.patience = 0.1
    with closing(sqlite3.connect(cache.database.path, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert hasty.find(FOUND) == FOUND  # reading goes on
        hasty.save({b"y" * 32: augmentation(99)})
        assert "locked" in caplog.text
        assert hasty.database.unusable
    assert cache.find([*FOUND, b"y" * 32]) == FOUND


def test_a_full_disk_is_an_error(cache: AugmentationCache) -> None:
    cache.save(FOUND)
    db = cache.database._connection()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")  # SQLite then says what it says on a full disk
    many = {i.to_bytes(32, "big"): augmentation(i) for i in range(1000)}
    with pytest.raises(OutputError, match=r"disk is full(.|\n)*MARS_SCORE_CACHE(.|\n)*--no-cache"):
        cache.save(many)
    assert cache.find([*FOUND, *many]) == FOUND
    assert problems(cache) == []
    cache.save(many)  # there is room again
    assert cache.find([*FOUND, *many]) == FOUND | many


def test_the_least_recently_used_rows_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 1_700_000_000
    monkeypatch.setattr(time, "time", lambda: clock)
    limit = 300_000
    cache = AugmentationCache(folder, limit)
    first = {b"first".ljust(32): augmentation(1)}
    cache.save(first)
    for number in range(60):
        clock += 2 * cache_module.FRESH
        rows = {
            f"{number}/{i}".encode().ljust(32): augmentation(hash((number, i)), length=1) for i in range(20)
        }
        cache.save(rows)
        assert cache.find(rows) == rows
        assert cache.find(first) == first  # old, but in use
    assert cache.find([b"0/0".ljust(32)]) == {}
    result = info(cache)
    assert 0.5 * limit < result.rows * 200 < limit
    checkpointed(cache)
    assert cache.database.path.stat().st_size <= limit
    assert problems(cache) == []


def test_a_smaller_limit_shrinks_the_file(folder: Path) -> None:
    large = AugmentationCache(folder, 10 << 20)
    large.save({i.to_bytes(32, "big"): augmentation(i) for i in range(5000)})
    before = checkpointed(large).stat().st_size
    small = AugmentationCache(folder, 100_000)
    small.save(FOUND)
    assert checkpointed(small).stat().st_size <= 100_000 < before
    assert small.find(FOUND)


def test_clear_and_info(cache: AugmentationCache, folder: Path) -> None:
    assert info(cache) == Info(0, 0, None, ())
    assert clear(cache) == 0
    assert not folder.exists()
    cache.save(FOUND)
    aside = folder / f"{FILE}.damaged"
    aside.write_bytes(b"?")
    result = info(cache)
    assert (result.rows, result.set_aside) == (len(FOUND), (aside,))
    assert clear(cache) == len(FOUND)
    assert info(cache).rows == 0
    assert not aside.exists()
    cache.save(FOUND)
    assert cache.find(FOUND) == FOUND


def test_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", "1.5G")
    assert cache_size() == 3 << 29
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", "big")
    with pytest.raises(ConfigError, match="MARS_SCORE_CACHE_SIZE=big"):
        cache_size()
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", "0")
    assert cache_at(True) is None
    monkeypatch.delenv("MARS_SCORE_CACHE_SIZE")
    monkeypatch.delenv("MARS_SCORE_CACHE")
    assert cache_size() == DEFAULT_SIZE
    assert "mars-score" in str(cache_folder())
    assert cache_at(None) is None
    assert cache_at(False) is None
    result = cache_at(tmp_path / "mine")
    assert result is not None
    assert result.folder == tmp_path / "mine"
