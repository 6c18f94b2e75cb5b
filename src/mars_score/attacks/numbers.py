"""Number swap: every number becomes another one of the same kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mars_score.attacks.drawing import one_of

if TYPE_CHECKING:
    from random import Random

    from mars_score.types import Example

_WORDS = """
two three four five six seven eight nine ten eleven twelve
thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety
"""
KINDS = {word: line.split() for line in _WORDS.splitlines() for word in line.split()}
"""Words of a line stand for one another. "One" is left alone: it is seldom a number ("no one", "one day")."""

_NUMBER = re.compile(rf"[0-9]+|\b(?:{'|'.join(KINDS)})\b", re.IGNORECASE)


def swap_numbers(example: Example, random: Random) -> str | None:
    """Change each run of digits to as many other digits, and each number word to another.

    A number that is there twice is changed to the same number twice. All else stays as it is.
    """
    swapped: dict[str, str] = {}

    def swap(found: re.Match[str]) -> str:
        old = found[0].lower()
        if old not in swapped:
            swapped[old] = _other_digits(old, random) if old.isdigit() else _other_word(old, random)
        new = swapped[old]
        return new.capitalize() if found[0][0].isupper() else new

    text = _NUMBER.sub(swap, example.candidate)
    return text if swapped else None


def _other_word(word: str, random: Random) -> str:
    return one_of([other for other in KINDS[word] if other != word], random)


def _other_digits(digits: str, random: Random) -> str:
    """Change the first digit and draw the others: 1984 does not become 1985, which is nearly right."""
    first = [digit for digit in "123456789" if digit != digits[0]]
    return one_of(first, random) + "".join(one_of("0123456789", random) for _ in digits[1:])
