"""The questions, the names of raters, and the order in which a rater sees the texts."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.fingerprint import digest
from mars_score.study.augmentation_ratings import QUESTIONS, SCALE

if TYPE_CHECKING:
    from mars_score.web.rating.sheet import Sheet, SheetText


LONGEST = 60
_MARKS = " ._-'@"
RULE = (
    f"At most {LONGEST} signs. It begins with a letter or a digit;"
    " spaces, dots, hyphens, underscores, apostrophes and @ may follow."
)


def rater_name(given: str) -> str | None:
    """Return a name in its usual form; ``None`` if it is no name.

    Names go into files that people open as spreadsheets, so nothing that looks like a formula is one.
    """
    name = " ".join(unicodedata.normalize("NFC", given).split())
    fits = 0 < len(name) <= LONGEST and unicodedata.category(name[0])[0] in "LN"
    return name if fits and all(_allowed(letter) for letter in name) else None


def rater_key(name: str) -> str:
    """Return what two spellings of one name have in common."""
    return unicodedata.normalize("NFC", name.casefold())


def _allowed(letter: str) -> bool:
    return letter in _MARKS or unicodedata.category(letter)[0] in "LMN"


POINTS = tuple(range(int(SCALE[0]), int(SCALE[1]) + 1))


@dataclass(frozen=True, slots=True)
class RatingQuestion:
    """One question of the paper, and what the ends and the middle of the scale mean."""

    name: str
    asked: str
    low: str
    middle: str
    high: str

    @property
    def title(self) -> str:
        """Its heading."""
        return self.name.capitalize()


_BY_NAME = {
    "relevance": RatingQuestion(
        "relevance", "How well does the text fit its context?",
        "has nothing to do with it", "fits in part", "fits completely",
    ),
    "readability": RatingQuestion(
        "readability", "How well does the text read?",
        "cannot be understood", "clumsy, but clear enough", "clear and fluent",
    ),
    "overall": RatingQuestion(
        "overall", "All in all, how good is the text?",
        "very bad", "neither good nor bad", "very good",
    ),
}  # fmt: skip
ASKED = tuple(_BY_NAME[name] for name in QUESTIONS)


def order_for(sheet: Sheet, rater: str) -> tuple[SheetText, ...]:
    """Return the texts in an order that is the rater's own, and always the same.

    Texts of one context invite comparison, and a context read a minute ago makes the next text easier. So there are
    rounds: the second text of any context comes after the first of every one.
    """

    def chance(*what: str) -> bytes:
        return digest("order", sheet.hash, rater_key(rater), *what)

    drawn = sorted(sheet.texts, key=lambda text: chance("round", text.code))
    seen: dict[str, int] = {}
    rounds = {}
    for text in drawn:
        rounds[text.code] = seen[text.context] = seen.get(text.context, 0) + 1
    return tuple(sorted(drawn, key=lambda text: (rounds[text.code], chance("place", text.code))))
