"""What an engine is. It knows batches and functions, nothing of metrics or models."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mars_score.progress import StageProgress

Batch = TypeVar("Batch")
Result = TypeVar("Result")
Worker = Callable[[Batch], Result]
"""Does one batch. What it loads it keeps, so that the next batch finds it."""


class Engine(Protocol):
    """Runs batches and gives their results in order."""

    def run(
        self,
        make: Callable[[StageProgress], Worker[Batch, Result]],
        batches: Iterable[Batch],
        progress: StageProgress,
    ) -> Iterator[Result]:
        """Yield the result of each batch, in the order of the batches.

        `make` is called once for each worker and must survive pickling, as must batches and results. A result
        depends on its batch alone, so an engine may run a batch again on another worker. Batches are taken from
        the iterable as results are consumed: neither is ever held as a whole.
        """
