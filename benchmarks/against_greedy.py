"""What the search costs beside the paper's literal form, one greedy fill of each policy for a blank.

    python -m benchmarks.against_greedy [REFERENCES]

search_vs_greedy       filling all templates by `search="beam"` / by `search="greedy"`
revised_vs_greedy      the same with a last step, in which each blank is tried again
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from benchmarks.jobs import jobs_of
from benchmarks.texts import stories
from benchmarks.timing import alternately, report
from mars_score.mars.scorer import MarsScorer

REFERENCES = 16
KINDS: dict[str, dict[str, Any]] = {
    "greedy": {"search": "greedy"},
    "search": {"search": "beam"},
    "revised": {"search": "beam", "revise": True},
}


def main(references: int = REFERENCES) -> None:
    """Print both ratios, with what the engine did for each kind."""
    scorers = {name: MarsScorer(**options) for name, options in KINDS.items()}
    engines = {name: scorer.guided.engine for name, scorer in scorers.items()}
    jobs = {name: jobs_of(scorer, stories(references)) for name, scorer in scorers.items()}
    works = {name: partial(engines[name].run, jobs[name]) for name in KINDS}
    for work in works.values():
        work()
    facts: dict[str, Any] = {
        f"{name}_tokens": {"generated": each.generated, "judged": each.judged, "near_ties": each.repeated}
        for name, each in ((name, engine.counts) for name, engine in engines.items())
    }
    seconds = alternately(works, warm_up=False)
    for name, most in (("search", 3), ("revised", None)):
        ratio = seconds[name] / seconds["greedy"]
        report(
            f"{name}_vs_greedy", ratio, at_most=most, references=references, seconds=seconds[name], **facts
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
