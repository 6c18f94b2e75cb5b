"""Batches side by side: each on one processor, as many at once as torch may use.

For batches of a few hundred tokens this is faster than sharing out every single matrix product, whose
threads must wait for each other hundreds of times a batch. And a batch's arithmetic is then the same however
many processors there are.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")

_turn = threading.RLock()
"""The number of threads belongs to the process: who changes it must put it back before the next one."""


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Yield the result for each item, in order; torch keeps to one thread in each."""
    with one_thread_each() as workers, ThreadPoolExecutor(max(1, min(workers, len(items)))) as pool:
        try:
            yield from pool.map(work, items)
        finally:
            pool.shutdown(cancel_futures=True)  # after an error, what has not begun never begins


@contextmanager
def one_thread_each() -> Iterator[int]:
    """Tell how many threads torch may use, and meanwhile make it use one in each that calls it.

    Also for many small products one after the other, which threads would only hold up.
    """
    with _turn:
        threads = torch.get_num_threads()
        if "OpenMP" not in torch.__config__.parallel_info():
            yield 1  # other thread pools cannot be resized: they go on sharing out each product
            return
        torch.set_num_threads(1)
        try:
            yield threads
        finally:
            torch.set_num_threads(threads)
