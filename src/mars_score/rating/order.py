"""In which order a rater meets the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.hashing import digest
from mars_score.rating.raters import rater_key

if TYPE_CHECKING:
    from mars_score.rating.sheet import Sheet, Text


def order_for(sheet: Sheet, rater: str) -> tuple[Text, ...]:
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
