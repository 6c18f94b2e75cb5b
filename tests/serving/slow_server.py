"""A server whose work takes as long as a file is there: python -m tests.serving.slow_server PORT FILE."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.http.running import serve
from mars_score.serving.server import make_server
from tests.serving.fake import FakeService

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.progress import StageProgress
    from mars_score.serving.scorers import Tell
    from mars_score.serving.settings import Settings
    from mars_score.serving.ticket import Outcome
    from mars_score.types import Example


class SlowService(FakeService):
    """Waits for the file to go."""

    def work(
        self, settings: Settings, examples: Sequence[Example], progress: StageProgress, tell: Tell
    ) -> Outcome:
        print("working", file=sys.stderr, flush=True)
        while Path(sys.argv[2]).exists():
            progress("masking", 0, 1)
            time.sleep(0.02)
        return super().work(settings, examples, progress, tell)


if __name__ == "__main__":
    service = make_server(SlowService(), token=None, hosts=("127.0.0.1",))
    serve(service, host="127.0.0.1", port=int(sys.argv[1]), token=None)
