"""Rows that every tool is given, and what `MarsScorer.score` says of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mars_score.mars.scorer import MarsScorer

if TYPE_CHECKING:
    from mars_score.types import ScoreResult

CONTEXTS = [
    "The bridge was closed after the flood. Ines had to be in town by nine.",
    "The choir lost its tenor a week before the concert.",
    "Rain fell for three days, and the cellar filled with water.",
    "The museum bought a clock that had not run since 1911.",
    "Two goats got into the school garden on Monday.",
]
REFERENCES = [
    "She took the ferry and came just in time.",
    "The baker's son sang in his place.",
    "They carried the wine upstairs.",
    "A watchmaker made it run again.",
    "They ate all the lettuce before noon.",
]
CANDIDATES = [
    "Ines crossed the river by ferry.",
    "A young baker stood in for him.",
    "The cellar was painted green.",
    "",
    "By noon the goats had eaten the lettuce.",
]


@cache
def expected(*, contexts: bool = True) -> ScoreResult:
    """The numbers, by a scorer that nothing here shares."""
    return MarsScorer().score(CANDIDATES, REFERENCES, CONTEXTS if contexts else None)
