"""Many processes, one cache: each pair is computed about once, and what is finished stays finished."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from mars_score.fingerprint import pair_key
from mars_score.progress import silent_stages
from mars_score.storage import augmentations
from mars_score.storage.augmentations import Costs, augment_once, next_portion
from mars_score.storage.cache import AugmentationCache
from mars_score.types import Pair

from .samples import computed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from mars_score.types import Augmentation

PAIRS = [Pair(f"Context {i}.", "word " * i) for i in range(1, 101)]
KEYS = {pair: pair_key("signature", pair) for pair in PAIRS}
EXPECTED = dict(zip(PAIRS, computed(PAIRS), strict=True))
spawn = multiprocessing.get_context("spawn")


def test_what_is_there_is_not_computed(cache: AugmentationCache) -> None:
    asked: list[Pair] = []

    def compute(pairs: Sequence[Pair]) -> list[Augmentation]:
        asked.extend(pairs)
        return computed(pairs)

    costs = Costs()
    some = {pair: KEYS[pair] for pair in PAIRS[::3]}
    assert augment_once(cache, some, compute, costs, silent_stages) == {pair: EXPECTED[pair] for pair in some}
    assert list(augment_once(cache, KEYS, compute, costs, silent_stages).items()) == list(EXPECTED.items())
    assert sorted(asked) == sorted(PAIRS)
    assert costs.cached == len(some)


def test_portions_are_kept_when_a_later_one_fails(cache: AugmentationCache) -> None:
    portions: list[int] = []

    def compute(pairs: Sequence[Pair]) -> list[Augmentation]:
        if portions:
            raise KeyboardInterrupt
        portions.append(len(pairs))
        return computed(pairs)

    with pytest.raises(KeyboardInterrupt):
        augment_once(cache, KEYS, compute, Costs(), silent_stages)
    assert portions == [augmentations.FIRST]
    assert len(cache.find(KEYS.values())) == augmentations.FIRST
    started = time.monotonic()
    assert augment_once(cache, KEYS, computed, Costs(), silent_stages) == EXPECTED
    assert time.monotonic() - started < 5  # the claims of what failed do not hold it up


def test_a_damaged_row_that_cannot_be_removed_is_computed(
    cache: AugmentationCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    augment_once(cache, KEYS, computed, Costs(), silent_stages)
    monkeypatch.setattr(cache, "find", lambda keys: {})
    assert augment_once(cache, KEYS, computed, Costs(), silent_stages) == EXPECTED


def test_without_a_usable_file_all_is_computed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = AugmentationCache(tmp_path / "file" / "cache")
    assert augment_once(nowhere, KEYS, computed, Costs(), silent_stages) == EXPECTED


def test_portions_follow_the_clock() -> None:
    assert next_portion(32, augmentations.SHORT / 2) == 64
    assert next_portion(augmentations.LARGEST, 0) == augmentations.LARGEST
    assert next_portion(32, (augmentations.SHORT + augmentations.LONG) / 2) == 32
    assert next_portion(32, 2 * augmentations.LONG) == 16
    assert next_portion(augmentations.SMALLEST, 9 * augmentations.LONG) == augmentations.SMALLEST


def _worker(folder: Path, ready: Barrier, log: Queue[tuple[int, int, bool]]) -> None:
    augmentations.FIRST, augmentations.LARGEST = 5, 5
    count = 0

    def compute(pairs: Sequence[Pair]) -> list[Augmentation]:
        nonlocal count
        count += len(pairs)
        time.sleep(0.02)
        return computed(pairs)

    ready.wait()
    result = augment_once(AugmentationCache(folder), KEYS, compute, Costs(), silent_stages)
    log.put((os.getpid(), count, result == EXPECTED))


def test_eight_processes_share_the_work(folder: Path) -> None:
    log: Queue[tuple[int, int, bool]] = spawn.Queue()
    ready = spawn.Barrier(8)
    workers = [spawn.Process(target=_worker, args=(folder, ready, log)) for _ in range(8)]
    for worker in workers:
        worker.start()
    results = [log.get(timeout=300) for _ in workers]
    for worker in workers:
        worker.join(300)
    assert all(right for _, _, right in results)
    assert sum(count for _, count, _ in results) == len(PAIRS)
    assert sum(count > 0 for _, count, _ in results) > 1  # nobody did it all alone


def _doomed(folder: Path) -> None:
    def compute(pairs: Sequence[Pair]) -> list[Augmentation]:
        if len(AugmentationCache(folder).find(KEYS.values())):
            os.kill(os.getpid(), signal.SIGKILL)
        return computed(pairs)

    augment_once(AugmentationCache(folder), KEYS, compute, Costs(), silent_stages)


def test_a_killed_process_loses_one_portion_and_holds_nobody_up(folder: Path) -> None:
    victim = spawn.Process(target=_doomed, args=(folder,))
    victim.start()
    victim.join(300)
    assert victim.exitcode == -signal.SIGKILL
    asked = 0

    def compute(pairs: Sequence[Pair]) -> list[Augmentation]:
        nonlocal asked
        asked += len(pairs)
        return computed(pairs)

    started = time.monotonic()
    assert augment_once(AugmentationCache(folder), KEYS, compute, Costs(), silent_stages) == EXPECTED
    assert asked == len(PAIRS) - augmentations.FIRST
    assert time.monotonic() - started < 5
