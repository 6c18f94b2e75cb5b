"""How far raters are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.study.ratings_file import QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.rating.sheet import Sheet, Text
    from mars_score.rating.storage import RatingStore


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one rater is."""

    rater: str
    answers: int
    rated: int
    """Texts with an answer to every question."""
    texts: int

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.rated == self.texts


def is_rated(text: Text, answers: Mapping[str, Mapping[str, int]]) -> bool:
    """Tell whether every question about a text is answered."""
    return all(question in answers.get(text.code, {}) for question in QUESTIONS)


def first_open(texts: Sequence[Text], answers: Mapping[str, Mapping[str, int]]) -> int | None:
    """Return the number, from 1, of the first text that is not rated yet."""
    return next((number for number, text in enumerate(texts, 1) if not is_rated(text, answers)), None)


def progress_of(sheet: Sheet, store: RatingStore, rater: str) -> Progress:
    """Count what a rater has done."""
    answers = store.answers_of(rater)
    rated = sum(is_rated(text, answers) for text in sheet.texts)
    return Progress(rater, sum(map(len, answers.values())), rated, len(sheet.texts))
