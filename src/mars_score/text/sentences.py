"""Where the sentences of a text end: a rule of thumb, made for English, that needs no data.

A sentence ends

- at a line break;
- after ``.``, ``!``, ``?`` or ``…``, however many, with the quotation marks and brackets that close it, where
  white space follows and then anything but a lower-case letter. In a text without a single capital, lower
  case may follow; and so it may after a mark that stands by itself (text that is already split into words);
- where all scripts are asked for, after the full stops, question and exclamation marks of Chinese, Japanese, Hindi,
  Arabic and Urdu, whatever follows;
- but not after a full stop that belongs to a title or abbreviation of the list below, to an initial ("J.") or
  to letters with full stops ("U.S.", "p.m."), although a sentence can end there.
"""

from __future__ import annotations

import re

_LIST = (
    "mr mrs ms dr prof st jr sr gen col capt lt sgt sen rep gov rev vs eg ie cf approx dept inc ltd corp "
    "jan feb apr jun jul aug sep sept oct nov dec"
)
ABBREVIATIONS = frozenset(_LIST.split())
VERSION = "rule1"
"""For signatures: raised whenever the rule changes."""

_CLOSING = "\"'\u2019\u201d)\\]}\u00bb"
_MARK = "[.!?\u2026]"
# The look-behind lets a match start only at the first of many marks, which else took quadratic time.
_END = re.compile(rf"(?P<gap>\s?)(?<!{_MARK})(?P<mark>{_MARK}+)[{_CLOSING}]*(?=\s+(?P<next>\S))")
_OTHER_MARK = "[\u3002\uff01\uff1f\uff61\u0964\u061f\u06d4]"
"""Ends a sentence in other scripts, some of which have no space to follow."""
_ANY_END = re.compile(rf"{_END.pattern}|(?P<other>{_OTHER_MARK}+)[{_CLOSING}\u300d\u300f\uff09]*")
_OPENING = "\"'\u2018\u201c([{\u00ab"


def sentences(text: str, *, all_scripts: bool = False) -> list[str]:
    """Split a text; no sentence is blank, and together they have all its characters but white space."""
    plain = not any(character.isupper() for character in text)
    found = []
    for line in text.splitlines():
        start = 0
        for end in (_ANY_END if all_scripts else _END).finditer(line):
            if (all_scripts and end["other"]) or _ends(line[start : end.start("mark")], end, plain=plain):
                found.append(line[start : end.end()])
                start = end.end()
        found.append(line[start:])
    return [sentence.strip() for sentence in found if sentence.strip()]


def _ends(before: str, end: re.Match[str], *, plain: bool) -> bool:
    """Whether a mark, with what stands before it in its sentence, ends the sentence."""
    if end["gap"]:
        return True
    last = before.rsplit(maxsplit=1)[-1:]
    if end["mark"] == "." and last and _is_short(last[0].lstrip(_OPENING)):
        return False
    return plain or not end["next"].islower()


def _is_short(word: str) -> bool:
    """Whether a word before a full stop is an abbreviation, an initial, or letters with full stops."""
    letters = word.split(".")
    if all(len(part) == 1 and part.isalpha() for part in letters):
        return len(letters) > 1 or (word.isupper() and word != "I")
    return word.lower() in ABBREVIATIONS
