"""How time and memory grow with the work.

    python -m benchmarks.growth

growth_rows      slope of log time over log N, N = 25 .. 200 references
growth_context   slope of log time over log length, contexts of 64 .. 1024 tokens
growth_words     slope of log time over log length, references of 50 .. 800 words, all of whose words may be masked
memory           peak memory with 200 references / with 50, each in a process of its own
"""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.jobs import jobs_of, with_context_of
from benchmarks.texts import article, stories, summaries
from benchmarks.timing import ROUNDS, alternately, report
from mars_score.mars.scorer import MarsScorer
from mars_score.types import Pair

if TYPE_CHECKING:
    from mars_score.infilling.decoder.state import Job

REFERENCES = (25, 50, 100, 200)
CONTEXTS = (64, 128, 256, 512, 1024)
WORDS = (50, 100, 200, 400, 800)


def slope(
    scorer: MarsScorer, work: dict[int, list[Job]], rounds: int = ROUNDS
) -> tuple[float, dict[str, float]]:
    """Slope of log seconds over log size, and the seconds."""
    engine = scorer.guided.engine
    engine.run(work[min(work)])
    runs = {str(size): (lambda jobs=jobs: engine.run(jobs)) for size, jobs in work.items()}
    seconds = alternately(runs, rounds, warm_up=False)
    logs = np.log([[float(size), time] for size, time in seconds.items()])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]), seconds


def peak(references: int) -> int:
    """Peak memory in kB of a process that augments so many references."""
    command = [sys.executable, "-m", "benchmarks.growth", str(references)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Print the ratios."""
    scorer = MarsScorer(search="greedy", ratios=(0.2,))  # one template a reference
    exponent, seconds = slope(scorer, {count: jobs_of(scorer, stories(count)) for count in REFERENCES})
    report("growth_rows", exponent, at_most=1.05, seconds=seconds)
    long = summaries(8, 980)
    exponent, seconds = slope(
        scorer, {length: jobs_of(scorer, with_context_of(scorer, long, length)) for length in CONTEXTS}
    )
    report("growth_context", exponent, at_most=1.1, references=len(long), seconds=seconds)
    scorer = MarsScorer(ratios=(0.2,), max_words=max(WORDS))
    texts = {size: [Pair("A report from the county.", article(size))] for size in WORDS}
    exponent, seconds = slope(
        scorer, {size: jobs_of(scorer, pairs) for size, pairs in texts.items()}, rounds=1
    )
    report("growth_words", exponent, at_most=1.1, seconds=seconds)
    few, many = peak(50), peak(200)
    report("memory", many / few, at_most=1.1, megabytes_50=few // 1024, megabytes_200=many // 1024)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        scorer = MarsScorer()
        scorer.guided.engine.run(jobs_of(scorer, stories(int(sys.argv[1]))))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    else:
        main()
