"""Memory really runs out: the engine must go on with fewer rows and write the same tokens.

    python -m benchmarks.out_of_memory

The process first fills the templates of 32 references as usual. Then it forbids itself to take more than a little
memory beyond what it holds (`RLIMIT_AS`; so this runs on Linux) and fills them again. Two JSON lines tell how many
rows were in flight before and after, and how many fills differ.
"""

from __future__ import annotations

import logging
import resource
import sys
from pathlib import Path

import torch

from benchmarks.jobs import jobs_of
from benchmarks.texts import stories
from benchmarks.timing import report
from mars_score.infilling.decoder.engine import DecodingEngine
from mars_score.mars.scorer import MarsScorer

REFERENCES = 32
SPARE = 160 << 20
"""Bytes that may still be taken: the caches of 96 rows alone need more."""


def main() -> None:
    """Print how many fills differ."""
    logging.basicConfig(stream=sys.stderr)
    torch.set_num_threads(1)  # the limit must not meet a new thread's stack
    scorer = MarsScorer()
    usual = scorer.guided.engine
    jobs = jobs_of(scorer, stories(REFERENCES))
    expected = usual.run(jobs)
    engine = DecodingEngine(usual.model, usual.config)
    before = engine.max_rows
    limit = _address_space() + SPARE
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    result = engine.run(jobs)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    differing = sum(item != other for item, other in zip(expected, result, strict=True))
    report(
        "out_of_memory_rows",
        engine.max_rows / before,
        at_most=0.5,
        rows_before=before,
        rows_after=engine.max_rows,
    )
    report(
        "out_of_memory_differing",
        float(differing),
        at_most=0,
        templates=len(jobs),
        spare_megabytes=SPARE >> 20,
    )


def _address_space() -> int:
    """Bytes of virtual memory that this process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    main()
