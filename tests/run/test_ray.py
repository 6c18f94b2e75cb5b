"""Order, bounds and deaths, with work that costs nothing. One Ray on loopback serves the whole file."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import EngineError, InputError
from mars_score.progress import silent_stages
from mars_score.run import ray as engine_file
from mars_score.run.base import LocalEngine
from mars_score.run.ray import AHEAD, QUEUE, TRIES, RayEngine
from tests.run.jobs import Squares, noted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WORKERS = 2
SQUARES = [number * number for number in range(20)]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """A Ray that the engine finds in its process, and leaves there."""
    with RayEngine(workers=WORKERS)._connected():
        yield


@pytest.fixture
def engine() -> RayEngine:
    return RayEngine(workers=WORKERS)


def squares(engine: RayEngine | LocalEngine, folder: Path, **options: object) -> list[int]:
    return list(engine.run(Squares(str(folder), **options), range(20), silent_stages))  # type: ignore[arg-type]


def test_results_come_in_order_from_workers_that_are_made_once(engine: RayEngine, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    assert squares(engine, tmp_path, seconds=0.01) == squares(LocalEngine(), tmp_path / "here") == SQUARES
    made = noted(tmp_path, "made-")
    assert 1 <= len(made) <= WORKERS
    assert str(os.getpid()) not in made
    assert {name.split("-")[-1] for name in noted(tmp_path, "begun-") if "-by-" in name} == set(made)


def test_no_batch_no_result(engine: RayEngine, tmp_path: Path) -> None:
    assert list(engine.run(Squares(str(tmp_path)), [], silent_stages)) == []


def test_neither_batches_nor_results_are_held_as_a_whole(engine: RayEngine, tmp_path: Path) -> None:
    taken: list[int] = []
    batches = (taken.append(number) or number for number in range(100))  # type: ignore[func-returns-value]
    results = engine.run(Squares(str(tmp_path)), batches, silent_stages)
    assert taken == []
    for consumed, result in enumerate(results):
        assert result == consumed * consumed
        assert len(taken) <= consumed + AHEAD * WORKERS
        if consumed == 10:
            time.sleep(0.3)  # a slow consumer: the workers could do all the rest meanwhile
    assert len(taken) == 100


def test_a_worker_has_little_in_its_queue(engine: RayEngine, tmp_path: Path) -> None:
    results = engine.run(Squares(str(tmp_path)), iter(range(100)), silent_stages)
    assert next(results) == 0
    time.sleep(0.5)
    begun = [name for name in noted(tmp_path, "begun-") if "-by-" not in name]
    assert len(begun) <= 1 + QUEUE * WORKERS + 1
    results.close()


def test_a_few_batches_are_shared(engine: RayEngine, tmp_path: Path) -> None:
    """Though one worker starts first and could have them all."""
    batches = range(WORKERS)
    result = engine.run(Squares(str(tmp_path), meet=WORKERS), batches, silent_stages)
    assert list(result) == SQUARES[:WORKERS]


def test_progress_counts_batches(engine: RayEngine, tmp_path: Path) -> None:
    events: list[tuple[str, int, int]] = []
    list(engine.run(Squares(str(tmp_path)), range(6), lambda *event: events.append(event)))
    assert events == [("batches", done, 6) for done in range(1, 7)]


def kill_process(folder: Path, name: str) -> None:
    """From outside, as the system does when memory is short."""
    os.kill(int(noted(folder, "made-")[0]), signal.SIGKILL)


def kill_actor(folder: Path, name: str) -> None:
    """Through Ray, as when its machine is taken away."""
    import ray

    ray.kill(ray.get_actor(name))


@pytest.mark.parametrize("kill", [kill_process, kill_actor])
def test_a_dead_worker_is_replaced(tmp_path: Path, kill: Callable[[Path, str], None]) -> None:
    import ray

    results = RayEngine(workers=1).run(Squares(str(tmp_path), seconds=0.3), range(6), silent_stages)
    first_two = [next(results), next(results)]
    (name,) = ray.util.list_named_actors()
    kill(tmp_path, name)
    first_two += results
    assert first_two == SQUARES[:6]
    assert len(noted(tmp_path, "made-")) == 2


def test_a_batch_that_kills_once_is_run_again(engine: RayEngine, tmp_path: Path) -> None:
    assert squares(engine, tmp_path, deadly=5) == SQUARES
    assert len(noted(tmp_path, "begun-5-by-")) == 2


def test_a_neighbour_is_not_blamed(tmp_path: Path) -> None:
    """One worker: what it has just finished may be lost with it, but the batch that kills it is the next one."""
    results = RayEngine(workers=1).run(Squares(str(tmp_path), deadly=1, always=True), range(9), silent_stages)
    assert next(results) == 0
    with pytest.raises(EngineError, match=f"batch 2 ended its worker {TRIES} times"):
        next(results)


def test_a_batch_that_always_kills_is_named(engine: RayEngine, tmp_path: Path) -> None:
    results = engine.run(Squares(str(tmp_path), deadly=5, always=True), range(20), silent_stages)
    assert [next(results) for _ in range(5)] == SQUARES[:5]
    with pytest.raises(EngineError, match=f"batch 6 ended its worker {TRIES} times"):
        next(results)
    assert len(noted(tmp_path, "begun-5-by-")) in (TRIES, TRIES + 1)  # the first time it may have had company


def test_an_error_of_ours_comes_as_itself_and_in_its_turn(engine: RayEngine, tmp_path: Path) -> None:
    results = engine.run(Squares(str(tmp_path), wrong=4), range(20), silent_stages)
    assert [next(results) for _ in range(4)] == SQUARES[:4]
    with pytest.raises(InputError) as raised:
        next(results)
    assert type(raised.value) is InputError
    assert str(raised.value) == "numbers.txt:4: 4 is wrong\n  remedy: leave it out"
    assert raised.value.line == 4


def test_an_error_of_python_keeps_its_kind(engine: RayEngine, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="3 is odd"):
        squares(engine, tmp_path, odd=3)


def test_an_error_of_the_batches_comes_after_the_results_before_it(engine: RayEngine, tmp_path: Path) -> None:
    def batches() -> Iterator[int]:
        yield from range(3)
        raise InputError("row 3 is bad")

    results = engine.run(Squares(str(tmp_path), seconds=0.05), batches(), silent_stages)
    assert [next(results) for _ in range(3)] == SQUARES[:3]
    with pytest.raises(InputError, match="row 3 is bad"):
        next(results)


def test_workers_are_gone_when_the_caller_stops(engine: RayEngine, tmp_path: Path) -> None:
    results = engine.run(Squares(str(tmp_path)), range(20), silent_stages)
    next(results)
    pids = [int(pid) for pid in noted(tmp_path, "made-")]
    assert all(map(alive, pids))
    results.close()
    deadline = time.monotonic() + 20
    while any(map(alive, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_workers_that_cannot_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_file, "PATIENCE", 1.0)
    engine = RayEngine(workers=1, threads=1000)
    with pytest.raises(EngineError, match=r"no worker has started in 1 s; the cluster has 2 CPUs and 0 GPUs"):
        squares(engine, tmp_path)


def threads_of(progress: object) -> Callable[[int], tuple[str | None, int]]:
    def ask(batch: int) -> tuple[str | None, int]:
        import torch

        return os.environ.get("OMP_NUM_THREADS"), torch.get_num_threads()

    return ask


def test_a_worker_has_one_thread(engine: RayEngine) -> None:
    assert list(engine.run(threads_of, [0], silent_stages)) == [("1", 1)]


def test_in_another_thread_too(engine: RayEngine, tmp_path: Path) -> None:
    results: list[int] = []
    thread = threading.Thread(target=lambda: results.extend(squares(engine, tmp_path)))
    thread.start()
    thread.join()
    assert results == SQUARES
