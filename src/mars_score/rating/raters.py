"""Names by which raters are told apart."""

from __future__ import annotations

import unicodedata

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
