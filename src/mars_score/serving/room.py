"""What the routes of one server share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.serving.ticket import Ticket

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.http.stopping import Stopping
    from mars_score.serving.jobs import Jobs
    from mars_score.serving.limits import Limits
    from mars_score.serving.queue import Queue
    from mars_score.serving.scorers import Service
    from mars_score.serving.settings import Settings
    from mars_score.serving.worker import Worker
    from mars_score.types import Example


@dataclass(frozen=True, slots=True)
class Room:
    """Queue, worker and jobs."""

    service: Service
    limits: Limits
    queue: Queue
    worker: Worker
    jobs: Jobs
    stopping: Stopping

    def ticket(self, settings: Settings, examples: Sequence[Example]) -> Ticket:
        """Return a request, not in line yet."""
        # With IDF from the corpus, a score depends on all rows of its request, and on no others. An explanation
        # sets candidates side by side.
        corpus = self.service.presets[settings.preset].masking.idf == "corpus"
        return Ticket(settings, examples, whole=corpus or settings.explain or settings.watch)
