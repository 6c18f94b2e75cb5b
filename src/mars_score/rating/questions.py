"""What raters are asked: the paper's three questions, and what the ends and the middle of the scale mean."""

from __future__ import annotations

from dataclasses import dataclass

from mars_score.study.ratings_file import QUESTIONS, SCALE

POINTS = tuple(range(int(SCALE[0]), int(SCALE[1]) + 1))


@dataclass(frozen=True, slots=True)
class Question:
    """One question."""

    name: str
    title: str
    asked: str
    low: str
    middle: str
    high: str


_WORDS = {
    "relevance": Question(
        "relevance",
        "Relevance",
        "How well does the text fit its context?",
        "has nothing to do with it",
        "fits in part",
        "fits completely",
    ),
    "readability": Question(
        "readability",
        "Readability",
        "How well does the text read?",
        "cannot be understood",
        "clumsy, but clear enough",
        "clear and fluent",
    ),
    "overall": Question(
        "overall",
        "Overall",
        "All in all, how good is the text?",
        "very bad",
        "neither good nor bad",
        "very good",
    ),
}
ASKED = tuple(_WORDS[name] for name in QUESTIONS)
