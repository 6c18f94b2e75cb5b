"""What each metric costs, as a ratio to ROUGE-L on the same rows.

    python -m benchmarks.metric_costs

Models are loaded before. Every round has rows of its own, and scorers that remember nothing of earlier rounds, so
that the MARS family pays for its augmented references each time (`second_system` measures what a further system
costs).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.texts import candidates, stories
from benchmarks.timing import ROUNDS, alternately, report
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics.registry import METRICS, make_metric
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 16
UNIT = "rougeL"


def main() -> None:
    """Print a ratio for each metric."""
    loaded = MarsScorer()
    turns = {name: rows_of_rounds() for name in METRICS}

    def score(name: str) -> None:
        scorer = MarsScorer()
        scorer.parts = loaded.parts
        scorer.parts.forget()
        make_metric(name, scorer).score(next(turns[name]))

    seconds = alternately({name: partial(score, name) for name in METRICS})
    for name in METRICS:
        milliseconds = 1000 * seconds[name] / ROWS
        report(f"cost_{name}", seconds[name] / seconds[UNIT], rows=ROWS, milliseconds_per_row=milliseconds)


def rows_of_rounds() -> Iterator[list[Example]]:
    """For the warm-up and for each round, other stories, each with one candidate."""
    pairs = stories(ROWS * (ROUNDS + 1))
    for start in range(0, len(pairs), ROWS):
        yield [
            Example(str(number), candidates(pair, 1)[0], (pair.reference,), pair.context)
            for number, pair in enumerate(pairs[start : start + ROWS])
        ]


if __name__ == "__main__":
    main()
