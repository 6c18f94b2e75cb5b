"""Everything in this process, one batch after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mars_score.engines.base import Batch, Result, Worker
    from mars_score.progress import StageProgress


class LocalEngine:
    """One worker: this process."""

    def run(
        self,
        make: Callable[[StageProgress], Worker[Batch, Result]],
        batches: Iterable[Batch],
        progress: StageProgress,
    ) -> Iterator[Result]:
        """Do each batch when its result is asked for."""
        worker = make(progress)
        return map(worker, batches)
