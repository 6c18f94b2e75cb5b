"""Claims: one worker computes a key, unless it is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from mars_score.storage import augmentations as claims_module
from mars_score.storage.augmentations import Claims

from .samples import augmentation

if TYPE_CHECKING:
    from mars_score.storage.cache import AugmentationCache

KEYS = [bytes([i]) * 32 for i in range(6)]


@pytest.fixture
def mine(cache: AugmentationCache) -> Claims:
    return Claims(cache.database)


@pytest.fixture
def other(cache: AugmentationCache) -> Claims:
    return Claims(cache.database)


def test_nobody_gets_what_another_holds(cache: AugmentationCache, mine: Claims, other: Claims) -> None:
    assert mine.take(KEYS, 2) == (set(), KEYS[:2])
    assert other.take(KEYS, 3) == (set(), KEYS[2:5])
    cache.save({KEYS[0]: augmentation(0)})
    assert mine.take(KEYS, 9) == ({KEYS[0]}, KEYS[5:])


def test_what_is_released_is_free(mine: Claims, other: Claims) -> None:
    mine.take(KEYS, 9)
    assert other.take(KEYS, 9) == (set(), [])
    mine.release()
    assert other.take(KEYS, 9) == (set(), KEYS)


def test_a_lease_lapses(mine: Claims, other: Claims, monkeypatch: pytest.MonkeyPatch) -> None:
    mine.take(KEYS, 9)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + claims_module.LEASE - 1)
    assert other.take(KEYS, 9)[1] == []
    monkeypatch.setattr(time, "time", lambda: now + claims_module.LEASE + 1)
    assert other.take(KEYS, 9)[1] == KEYS


def test_a_clock_that_was_set_back(mine: Claims, other: Claims, monkeypatch: pytest.MonkeyPatch) -> None:
    mine.take(KEYS, 9)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    assert other.take(KEYS, 9)[1] == KEYS


def test_a_lease_is_renewed_while_work_goes_on(
    mine: Claims, other: Claims, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims_module, "LEASE", 0.6)
    mine.take(KEYS, 9)
    with mine.renewed():
        for _ in range(10):
            time.sleep(0.15)
            assert other.take(KEYS, 9)[1] == []
    time.sleep(0.8)
    assert other.take(KEYS, 9)[1] == KEYS


def test_the_dead_hold_nothing(mine: Claims, other: Claims) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    mine.owner = mine.owner.replace(f"/{os.getpid()}/", f"/{gone.pid}/")
    mine.take(KEYS, 9)
    assert other.take(KEYS, 9)[1] == KEYS


def test_another_machine_is_believed_for_a_lease(mine: Claims, other: Claims) -> None:
    mine.owner = "elsewhere/999999999/0000"
    mine.take(KEYS, 9)
    assert other.take(KEYS, 9)[1] == []


def test_without_a_file_everything_is_free(mine: Claims) -> None:
    mine.database.unusable = True
    assert mine.take(KEYS, 4) == (set(), KEYS[:4])
    mine.release()
