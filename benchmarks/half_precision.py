"""What bfloat16 gains and changes in the language model.

    python -m benchmarks.half_precision

bfloat16   seconds of filling templates in float32 / in bfloat16; with the share of texts that differ. It gains on
           processors that multiply it (AVX512_BF16, AMX) and on GPUs, and loses on others.
"""

from __future__ import annotations

from functools import partial

from benchmarks.jobs import jobs_of
from benchmarks.texts import stories
from benchmarks.timing import alternately, report
from mars_score.config import MarsConfig
from mars_score.mars.scorer import MarsScorer

REFERENCES = 6


def main() -> None:
    """Print the ratio."""
    config = MarsConfig()
    scorers = {
        kind: MarsScorer(cache=None, config=config.with_options(**{"infilling.dtype": kind}))
        for kind in ("float32", "bfloat16")
    }
    jobs = {kind: jobs_of(scorer, stories(REFERENCES)) for kind, scorer in scorers.items()}
    works = {kind: partial(scorer.guided.engine.run, jobs[kind]) for kind, scorer in scorers.items()}
    fills = {kind: work() for kind, work in works.items()}
    other = sum(a != b for a, b in zip(fills["float32"], fills["bfloat16"], strict=True))
    seconds = alternately(works, warm_up=False)
    report(
        "bfloat16", seconds["float32"] / seconds["bfloat16"], templates=len(jobs["float32"]),
        share_that_differs=other / len(jobs["float32"]), seconds=seconds["bfloat16"],
    )  # fmt: skip


if __name__ == "__main__":
    main()
