"""The one thread that touches the models."""

from __future__ import annotations

import threading
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any

from mars_score.errors import MarsError
from mars_score.infilling.decoder.kv_cache import malloc_trim
from mars_score.web.errors import log, of_error, unexpected

if TYPE_CHECKING:
    from mars_score.web.api.queue import Batch, Pace, Queue
    from mars_score.web.api.scorers import Service


APART = 1.0
"""Seconds between two times that free memory is given back."""


class AbandonedError(Exception):
    """Nobody waits for this batch any more."""


class Worker:
    """Takes batches from the queue until there are no more."""

    def __init__(self, service: Service, queue: Queue, pace: Pace) -> None:
        """Take the parts; nothing runs yet."""
        self._service, self._queue, self._pace = service, queue, pace
        self.ready = threading.Event()
        """Set when the models are loaded."""
        self.ended = threading.Event()
        self.problem = ""
        """Why the models could not be loaded."""
        self._given_back = 0.0
        self._thread = threading.Thread(target=self._run, name="mars-score worker", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait for the end, but not for long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._load()
            while (batch := self._queue.take()) is not None:
                started, busy = monotonic(), thread_time()
                self._do(batch)
                self._pace.learn(len(batch.examples), monotonic() - started, thread_time() - busy)
                self._queue.drop(batch)
                del batch
                self._give_back()
        finally:
            self.ended.set()

    def _give_back(self) -> None:
        """Return what batches needed to the system: the C library keeps it, for each size that ever was."""
        if monotonic() - self._given_back >= APART:
            malloc_trim()
            self._given_back = monotonic()

    def _load(self) -> Exception | None:
        """Load the models, or return why that fails."""
        if self.ready.is_set():
            return None
        try:
            self._service.load()
        except Exception as error:
            log.error("the models cannot be loaded: %s", error)
            self.problem = str(error)
            return of_error(error) if isinstance(error, MarsError) else unexpected()
        self.problem = ""
        self.ready.set()
        return None

    def _do(self, batch: Batch) -> None:
        """Do a batch. If that fails for one request, the others are not to suffer: each gets its own."""
        if not batch.wanted:
            return
        if (failure := self._load()) is not None:
            batch.fail(failure)
            return

        def progress(stage: str, finished: int, total: int) -> None:
            # The one place where work can be broken off; what was computed before is kept.
            if not batch.wanted:
                raise AbandonedError
            batch.progress(stage, finished, total)

        def tell(event: dict[str, Any]) -> None:
            for one in batch.slices:
                one.ticket.tell(event)

        try:
            outcome = self._service.work(batch.settings, batch.examples, progress, tell)
        except AbandonedError:
            return
        except Exception as error:
            if len(batch.slices) > 1:
                for one in batch.single():
                    self._do(one)
            elif isinstance(error, MarsError):
                batch.fail(of_error(error))
            else:
                log.exception("a batch failed")
                batch.fail(unexpected())
        else:
            batch.deliver(outcome)
