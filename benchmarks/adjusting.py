"""What the adjustments cost: scoring by the default formula against the paper's, augmentations at hand.

    python -m benchmarks.adjusting

Both score the same rows, alternately. In `adjusting` references, augmentations and contexts are in the scorer's
memory from an earlier system; in `adjusting_cold` nothing is: references and contexts are encoded too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.rescore_vs_bertscore import OPENINGS, made_up, own_references
from benchmarks.timing import ROUNDS, alternately, report
from mars_score.mars.scorer import MarsScorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mars_score.types import Example

GOAL = 2.0
ROWS = 600
FORMULAS = {"default": "general", "paper": "paper-formula"}


class Side:
    """A formula, and rows that are new in every round."""

    def __init__(self, preset: str, *, warm: bool) -> None:
        """Give the scorer its augmentations."""
        self.scorer, self.warm = MarsScorer(preset, cache=None), warm
        pairs = dict.fromkeys(pair for row in rows("") for pair in row.pairs)
        ratios = self.scorer.config.masking.ratios
        self.scorer.add_augmentations({pair: made_up(pair, ratios) for pair in pairs})
        self.turns: Iterator[list[Example]] = map(rows, OPENINGS)

    def __call__(self) -> None:
        """Score the next rows."""
        if not self.warm:
            self.scorer._memories.clear()
        self.scorer.score_examples(next(self.turns))


def main() -> None:
    """Print both ratios."""
    for name, warm in (("adjusting", True), ("adjusting_cold", False)):
        sides = {side: Side(preset, warm=warm) for side, preset in FORMULAS.items()}
        seconds = alternately(sides, rounds=min(ROUNDS, len(OPENINGS) - 1))
        ratio = seconds["default"] / seconds["paper"]
        report(
            name, ratio, at_most=GOAL, rows=ROWS, seconds=seconds["default"], seconds_paper=seconds["paper"]
        )


def rows(opening: str) -> list[Example]:
    """Candidates that no other round has."""
    return own_references(opening)[:ROWS]


if __name__ == "__main__":
    main()
