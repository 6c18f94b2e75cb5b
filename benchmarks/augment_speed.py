"""What decoding templates together gains over the same engine with one template at a time.

    python -m benchmarks.augment_speed

Prints {"name", "ratio", ...}: the time alone over the time together, timed alternately in one process, the
median of three. The texts are the examples of this project.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.files import read_examples
from mars_score.infilling.base import Request
from mars_score.masking.templates import make_templates
from mars_score.scorer import MarsScorer

if TYPE_CHECKING:
    from collections.abc import Callable

DEMO = Path(__file__).parents[1] / "examples" / "demo.jsonl"
REFERENCES = 4
REPEATS = 3


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print the ratio."""
    scorer = MarsScorer()
    masking, idf = scorer.config.masking, scorer.idf_for([])
    pairs = list(dict.fromkeys(pair for example in read_examples(DEMO) for pair in example.pairs))[
        :REFERENCES
    ]
    requests = [
        Request(
            pair.context,
            make_templates(pair.context, pair.reference, masking, scorer.tagger, idf),
            pair.question,
        )
        for pair in pairs
    ]
    single = [
        Request(request.context, (one,), request.question)
        for request in requests
        for one in request.templates
    ]
    alone, together = [], []
    for _ in range(REPEATS):
        together.append(timed(lambda: scorer.infiller.fill(requests)))
        alone.append(timed(lambda: [scorer.infiller.fill([request]) for request in single]))
    seconds = statistics.median(together)
    result = {
        "name": "augment_alone_vs_together",
        "ratio": round(statistics.median(alone) / seconds, 2),
        "references": len(pairs),
        "templates": len(single),
        "seconds_together": round(seconds, 2),
    }
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
