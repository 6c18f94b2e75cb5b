"""The engine against the model's own work done plainly, see `benchmarks.plain`.

    python -m benchmarks.against_plain

search_vs_plain       the engine / the same prefills, as many generated tokens, one forward over the judged ones
augment_vs_plain      the same for `search="greedy"`
augment_vs_generate   the engine, greedily / the same prefills and `generate` alone
long_context          as augment_vs_plain, with contexts of 800 tokens
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.jobs import jobs_of, with_context_of
from benchmarks.plain import Plain
from benchmarks.texts import stories, summaries
from benchmarks.timing import alternately, report
from mars_score.infilling.decoder.engine import Counts
from mars_score.mars.scorer import MarsScorer

if TYPE_CHECKING:
    from mars_score.types import Pair

CONTEXT = 800


def measure(scorer: MarsScorer, plain: Plain, pairs: list[Pair]) -> tuple[dict[str, float], Counts]:
    """Median seconds of the engine, of the plain work and of generation alone."""
    engine = scorer.guided.engine
    jobs = jobs_of(scorer, pairs)
    engine.counts = Counts()
    engine.run(jobs)
    counts = engine.counts
    engine.counts = Counts()  # what the timed rounds do is not added to it
    plain.run(jobs[:4], Counts(generated=4, judged=4), judge=True)
    seconds = alternately(
        {
            "engine": lambda: engine.run(jobs),
            "plain": lambda: plain.run(jobs, counts, judge=True),
            "generate": lambda: plain.run(jobs, counts, judge=False),
        },
        warm_up=False,
    )
    return seconds, counts


def main() -> None:
    """Print the ratios."""
    scorer = MarsScorer(search="beam")
    plain = Plain.load(str(scorer.parts.store.ensure(scorer.config.infilling.lm)))
    seconds, counts = measure(scorer, plain, stories(16))
    report(
        "search_vs_plain", seconds["engine"] / seconds["plain"], at_most=1.2, **facts_of(16, seconds, counts)
    )
    scorer = scorer.with_options(search="greedy")
    seconds, counts = measure(scorer, plain, stories(32))
    facts = facts_of(32, seconds, counts)
    report("augment_vs_plain", seconds["engine"] / seconds["plain"], at_most=1.5, **facts)
    report("augment_vs_generate", seconds["engine"] / seconds["generate"], at_most=3, **facts)
    pairs = with_context_of(scorer, summaries(12, 760), CONTEXT)
    seconds, counts = measure(scorer, plain, pairs)
    report(
        "long_context",
        seconds["engine"] / seconds["plain"],
        at_most=1.3,
        references=len(pairs),
        context_tokens=CONTEXT,
        templates=counts.rows,
        generated=counts.generated,
        seconds=seconds["engine"],
    )


def facts_of(references: int, seconds: dict[str, float], counts: Counts) -> dict[str, float]:
    """What was done, for the line that is printed."""
    return {
        "references": references, "templates": counts.rows, "prefilled": counts.prefilled,
        "generated": counts.generated, "judged": counts.judged, "read": counts.read, "seconds": seconds["engine"],
    }  # fmt: skip


if __name__ == "__main__":
    main()
