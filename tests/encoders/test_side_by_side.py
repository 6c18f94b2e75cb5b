"""Work on several threads: the results of a plain loop, and torch's threads as they were."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import torch

from mars_score.encoders.network import side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    """Three threads for torch, and afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def late(number: int) -> int:
    time.sleep(0.02 if number == 0 else 0)
    return number * number


def test_results_in_order() -> None:
    assert list(side_by_side(late, range(20))) == [number * number for number in range(20)]
    assert list(side_by_side(late, [])) == []


def test_several_at_once_with_one_thread_each() -> None:
    meeting = threading.Barrier(3, timeout=30)

    def work(_: int) -> int:
        meeting.wait()  # breaks unless three are here
        return int(torch.get_num_threads())

    assert list(side_by_side(work, range(6))) == [1] * 6
    assert torch.get_num_threads() == 3


def test_an_error_is_told_and_ends_the_work() -> None:
    begun = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 2:
            raise ValueError("two")
        time.sleep(0.01)

    with pytest.raises(ValueError, match="two"):
        list(side_by_side(work, range(1000)))
    assert torch.get_num_threads() == 3
    assert len(begun) < 1000


def test_who_stops_listening_leaves_torch_as_it_was() -> None:
    results = side_by_side(late, range(100))
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert torch.get_num_threads() == 3


def test_two_callers_at_once() -> None:
    with ThreadPoolExecutor(2) as callers:
        found = list(callers.map(lambda _: list(side_by_side(late, range(10))), range(4)))
    assert found == [[number * number for number in range(10)]] * 4
    assert torch.get_num_threads() == 3


def test_work_within_work_waits_for_nobody() -> None:
    results = side_by_side(late, range(4))
    assert [next(results), *side_by_side(late, range(3)), *results] == [0, 0, 1, 4, 1, 4, 9]
    assert torch.get_num_threads() == 3
