"""What the form knows and does, whatever its pages look like; how far raters are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from mars_score.study.augmentation_ratings import QUESTIONS
from mars_score.web.errors import HttpError
from mars_score.web.rating.questions import POINTS, order_for, rater_name
from mars_score.web.rating.storage import Progress, RatingStore, is_rated, progress_of

if TYPE_CHECKING:
    from mars_score.web.rating.sheet import Sheet, SheetText


_START = "Start again from the first page."
_MARK = 16
"""Signs of the sheet's hash that pages carry."""
_POINTS = {str(point): point for point in POINTS}


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as a rater meets it."""

    number: int
    text: SheetText
    chosen: Mapping[str, int]
    progress: Progress
    sheet: str
    """Names the sheet, so that a page that was left open cannot answer for another one."""

    @property
    def next(self) -> str:
        """Where the next text is; after the last, the list of all."""
        rater, number = self.progress.rater, self.number
        return text_address(rater, number + 1) if number < self.progress.texts else list_address(rater)

    @property
    def back(self) -> str | None:
        """Where the text before this one is."""
        return text_address(self.progress.rater, self.number - 1) if self.number > 1 else None


def text_address(rater: str, number: int) -> str:
    """Return where a rater's text is."""
    return "/text?" + urlencode({"rater": rater, "n": number})


def list_address(rater: str) -> str:
    """Return where the list of a rater's texts is."""
    return "/texts?" + urlencode({"rater": rater})


def start_address(rater: str) -> str:
    """Return where the instructions are for a rater whom we know."""
    return "/?" + urlencode({"rater": rater})


class Form:
    """A sheet, its ratings, and each rater's order."""

    questions = QUESTIONS

    def __init__(self, sheet: Sheet, store: RatingStore) -> None:
        self.sheet, self.store = sheet, store
        self.mark = sheet.hash[:_MARK]
        self.order = lru_cache(maxsize=1024)(partial(order_for, sheet))

    def name(self, given: str) -> str | None:
        """Return a rater's name in its usual form: as it was first spelt, if we know it; ``None`` for no name."""
        name = rater_name(given)
        return None if name is None else self.store.rater(name) or name

    def known_rater(self, given: str) -> str | None:
        """Return the name of a rater who has begun."""
        name = rater_name(given)
        return None if name is None else self.store.rater(name)

    def has_answers(self, rater: str) -> bool:
        """Tell whether a rater has answered anything."""
        return bool(self.store.answers_of(rater))

    def progress(self, rater: str) -> Progress:
        """Count what a rater has done."""
        return progress_of(self.sheet, self.store, rater)

    def rated(self, rater: str) -> list[bool]:
        """Tell for each text, in the rater's order, whether it is rated."""
        answers = self.store.answers_of(rater)
        return [is_rated(text, answers) for text in self.order(rater)]

    def first_open(self, rater: str) -> int | None:
        """Return the number of the first text that a rater has not rated yet."""
        return next((number for number, rated in enumerate(self.rated(rater), 1) if not rated), None)

    def shown(self, rater: str, number: str, chosen: Mapping[str, int] | None = None) -> Shown:
        """Return a text as it is shown, with the answers that are saved or the ones that are chosen."""
        position = self._number(number)
        text = self.order(rater)[position - 1]
        saved = self.store.answers_of(rater).get(text.code, {})
        return Shown(position, text, {**saved, **(chosen or {})}, self.progress(rater), self.mark)

    def save(self, fields: Mapping[str, str], ratings: Mapping[str, str]) -> tuple[str, int]:
        """Save ratings by question, and return the rater and the text's number; refuse what our pages do not send."""
        if fields.get("sheet") != self.mark:
            raise HttpError(HTTPStatus.CONFLICT, "This page is of another sheet of texts.", _START)
        rater = self.known_rater(fields.get("rater", ""))
        if rater is None:
            raise HttpError(HTTPStatus.CONFLICT, "This rater is not known.", _START)
        number = self._number(fields.get("n", ""))
        if not set(ratings) <= set(QUESTIONS) or not set(ratings.values()) <= set(_POINTS):
            raise HttpError(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"An answer is a number from {POINTS[0]} to {POINTS[-1]}.",
                f"The questions are {', '.join(QUESTIONS)}.",
            )
        code = self.order(rater)[number - 1].code
        self.store.save(rater, code, {question: _POINTS[rating] for question, rating in ratings.items()})
        return rater, number

    def _number(self, given: str) -> int:
        number = int(given) if given.isascii() and given.isdecimal() and len(given) < 9 else 0
        if not 1 <= number <= len(self.sheet.texts):
            raise HttpError(
                HTTPStatus.NOT_FOUND,
                "There is no such text.",
                f"Texts have numbers from 1 to {len(self.sheet.texts)}.",
            )
        return number
