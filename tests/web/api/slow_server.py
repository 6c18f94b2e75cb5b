"""A server whose work takes as long as a file is there: python -m tests.web.api.slow_server PORT FILE."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.web.api.app import make_server
from mars_score.web.server import serve
from tests.web.api.fake import FakeService

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.progress import StageProgress
    from mars_score.types import Example
    from mars_score.web.api.queue import RequestSettings, TicketOutcome
    from mars_score.web.api.scorers import Tell


class SlowService(FakeService):
    """Waits for the file to go."""

    def work(
        self, settings: RequestSettings, examples: Sequence[Example], progress: StageProgress, tell: Tell
    ) -> TicketOutcome:
        print("working", file=sys.stderr, flush=True)
        while Path(sys.argv[2]).exists():
            progress("masking", 0, 1)
            time.sleep(0.02)
        return super().work(settings, examples, progress, tell)


if __name__ == "__main__":
    service = make_server(SlowService(), token=None, hosts=("127.0.0.1",))
    serve(service, host="127.0.0.1", port=int(sys.argv[1]), token=None)
