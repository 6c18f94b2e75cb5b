"""Word tokens with their place in the text. Language models have tokens of their own; masking is by words."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple


class Word(NamedTuple):
    """A word, a number, a punctuation mark or a symbol: ``text[start:end]`` of the text it came from."""

    text: str
    start: int
    end: int


# Characters beyond ASCII are first replaced, one for one, by the stand-in of their class, so that the pattern
# below is about a handful of characters and offsets stay true. The stand-ins are no letters to the pattern.
_MARK, _JOINER, _IDEOGRAPH, _SYMBOL, _FLAG = "\u0300", "\u200d", "\ue000", "\ue001", "\ue002"
_CLASSES = {"M": _MARK, "Cf": _MARK, "L": "x", "Nd": "0", "N": "x", "So": _SYMBOL}
_WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")

_TOKEN = re.compile(
    rf"""
      (?:[A-Za-z]\.){{2,}}(?!\w)                               # U.S., p.m.
    | (?<!\S)'(?i:s|re|ve|ll|d|m)(?!\w)                        # the 's of text that is already split
    | \w[\w{_MARK}{_JOINER}]*                                  # a word, or a number such as 3,000.50
      (?:(?:['-]|(?<=\d)[.,:](?=\d))\w[\w{_MARK}{_JOINER}]*)*
    | {_IDEOGRAPH}[{_MARK}{_JOINER}]*                          # scripts without spaces, by character
    | {_FLAG}{{1,2}}                                           # a flag is a pair
    | {_SYMBOL}[{_MARK}{_JOINER}]*                             # an emoji with all that is joined to it
      (?:(?<={_JOINER})\S[{_MARK}{_JOINER}]*)*
    | (?P<mark>\S)(?P=mark)*[{_MARK}{_JOINER}]*                # punctuation; '...' and '####' are one
    """,
    re.VERBOSE,
)


class _StandIns(dict[int, str]):
    """A table for :meth:`str.translate` that works a character out when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        found = _CLASSES.get(category) or _CLASSES.get(category[0]) or character
        if category[0] == "L" and unicodedata.name(character, "").startswith(_WITHOUT_SPACES):
            found = _IDEOGRAPH
        self[code] = found
        return found


_TABLE = _StandIns({code: chr(code) for code in range(128)})
_TABLE.update({ord("\u2019"): "'", ord("\u2010"): "-", ord("\u2011"): "-", ord(_JOINER): _JOINER})
_TABLE.update(dict.fromkeys(range(0x1F1E6, 0x1F200), _FLAG))  # regional indicators
_TABLE.update(dict.fromkeys(range(0x1F3FB, 0x1F400), _MARK))  # skin tones


def words(text: str) -> tuple[Word, ...]:
    """Split a text into words. Each character that is not white space is in exactly one of them."""
    shape = text if text.isascii() else text.translate(_TABLE)
    return tuple(Word(text[found.start() : found.end()], *found.span()) for found in _TOKEN.finditer(shape))


def first_words(text: str, count: int) -> str:
    """Cut a text after so many words; a shorter text is returned as it is."""
    found = words(text)
    return text if len(found) <= count else text[: found[count - 1].end]
