"""The engine against the algorithm as one would first write it.

    python -m benchmarks.against_row_by_row

augment_vs_sequential   row by row, planning in closed form / the engine, 32 references
augment_vs_pplm         row by row, planning by autograd through the cache (PPLM) / the engine, 16 references

Row by row takes seconds for a template, ten to thirty with autograd. So it works in parts between the engine's rounds.
For augment_vs_sequential it fills one template of every other reference (each ratio in turn), and its time is scaled
up by the templates left out. augment_vs_pplm is near its goal, and templates differ by more than that: all are filled.
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.jobs import jobs_of
from benchmarks.row_by_row import RowByRow
from benchmarks.texts import stories
from benchmarks.timing import ROUNDS, report, timed
from mars_score.mars.scorer import MarsScorer

if TYPE_CHECKING:
    from mars_score.config import PlannerKind


def compare(
    name: str, scorer: MarsScorer, rows: RowByRow, references: int, goal: float, *, whole: bool
) -> None:
    """Time the engine on all templates and the other on all or its share; print the ratio."""
    engine = scorer.guided.engine
    pairs = stories(references)
    jobs = jobs_of(scorer, pairs)
    each = [jobs_of(scorer, [pair]) for pair in pairs]
    share = [some[number % len(some)] for number, some in enumerate(each)][::2]
    sample = jobs if whole else share
    engine.run(jobs)
    rows.run(sample[:1])
    fast, slow, different = [], 0.0, 0
    for part in range(ROUNDS):
        fast.append(timed(lambda: engine.run(jobs)))
        mine = sample[part::ROUNDS]
        results: list[object] = []
        slow += timed(lambda mine=mine, results=results: results.extend(rows.run(mine)))  # type: ignore[misc]
        different += sum(a != b for a, b in zip(results, engine.run(mine), strict=True))
    seconds = statistics.median(fast)
    estimate = slow * len(jobs) / len(sample)
    facts = {"fills_that_differ": different} if rows.config.planner == engine.config.planner else {}
    report(
        name,
        estimate / seconds,
        at_least=goal,
        references=references,
        templates=len(jobs),
        timed_row_by_row=len(sample),
        seconds=seconds,
        seconds_row_by_row=estimate,
        **facts,
    )


def main() -> None:
    """Print both ratios."""
    scorer = MarsScorer(search="greedy")
    infiller = scorer.guided
    rows = RowByRow(
        str(scorer.parts.store.ensure(scorer.config.infilling.lm)), infiller.model.vocabulary, infiller.config
    )
    compare("augment_vs_sequential", scorer, rows, 32, 8, whole=False)
    planner: PlannerKind = "kv"
    rows.config = replace(rows.config, planner=planner)
    compare("augment_vs_pplm", scorer, rows, 16, 60, whole=True)


if __name__ == "__main__":
    main()
