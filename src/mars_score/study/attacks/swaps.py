"""Number swap and name swap: facts become other facts of the same kind."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from mars_score.study.attacks.base import one_of, passage, sentence_spans, shuffled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from mars_score.types import Example


# Number swap: every number becomes another one of the same kind.

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


# Name swap: names of people, places and things become other names of the same row.

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_PLACEHOLDER = re.compile(r"\[UNK\]|\bUNK\b|\bUNKNOWN\b")
_POSSESSIVE = re.compile(r"['\u2019]s?$", re.IGNORECASE)
_LIST = (
    "a an the this that these those i you he she it we they my your his her its our their me him them us who "
    "what when where why how which there here and or but nor so yet if then because while although though "
    "since until unless after before as at by for from in into of off on onto out over to under up with without "
    "about above across again against all also always another any anyone are both can could did do does each "
    "either even every everyone everything few finally first had has have however is just last later let many "
    "may maybe meanwhile might more most much must neither never next no nobody none not nothing now often once "
    "one only other perhaps please she'd shall should some somehow someone something sometimes soon still such "
    "suddenly thank thanks today tomorrow tonight too very was well were will would yes yesterday "
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december mr mrs ms dr unk unknown "
    "according among despite during earlier inside like whether"
)
NOT_NAMES = frozenset(_LIST.split())
"""Opening words of sentences, and capitalised words that are no names of anybody: I, days, months, titles."""


def swap_names(example: Example, random: Random) -> str | None:
    """Give each name of the candidate another name of the context or the candidate, the same one throughout."""
    text, given = example.candidate, [passage(example), *example.references]
    if _PLACEHOLDER.sub("", text) == _PLACEHOLDER.sub("", text).lower():
        # A system that writes no capitals: its names are those that the context has and never writes small.
        row = Evidence(given)
        known = {name.lower(): None for name in row.names(given[0]) if row.only_capital(name)}
    else:
        row = Evidence([text, *given])
        known = dict.fromkeys([*row.names(text), *row.names(given[0])])
    present = [name for name in known if re.search(_whole(name), text)]
    pairs = _paired(present, list(known), random)
    if not pairs:
        return None
    # Longer names first, so that a part of a name is not taken for a name of its own.
    either = "|".join(_whole(name) for name in sorted(pairs, key=lambda name: (-len(name), name)))
    return re.sub(either, lambda found: pairs[found[0]], text)


class Evidence:
    """How the words of a row are written."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._written: set[str] = set()
        pairs: set[tuple[str, str]] = set()
        for text in texts:
            words = [_POSSESSIVE.sub("", found[0]) for found in _WORD.finditer(text)]
            self._written.update(words)
            pairs.update(zip(words, [*words[1:], ""], strict=False))
        # Before different words, since a sentence that is copied tells no more than it did before.
        self._places = Counter(word for word, _ in pairs)

    def names(self, text: str) -> list[str]:
        """Return the names in a text, in their order, as often as they are there."""
        found = []
        for start, end in sentence_spans(text):
            run: list[str] = []
            last = start
            for match in _WORD.finditer(text, start, end):
                word = _POSSESSIVE.sub("", match[0])
                joined = text[last : match.start()] == " "
                first = not re.search(r"\w", text[start : match.start()])
                if run and not (joined and self._is_name(word, first=False)):
                    found.append(" ".join(run))
                    run = []
                if self._is_name(word, first=first):
                    run.append(word)
                # The 's of a possessive ends a name.
                last = match.end() if word == match[0] else -1
            found += [" ".join(run)] if run else []
        return found

    def only_capital(self, name: str) -> bool:
        """Tell whether no word of a name is ever written in lower case."""
        return not any(word.lower() in self._written for word in name.split())

    def _is_name(self, word: str, *, first: bool) -> bool:
        if not word[0].isupper() or len(word) < 2 or word.split("'", maxsplit=1)[0].lower() in NOT_NAMES:
            return False
        return not first or (self._places[word] > 1 and self.only_capital(word))


def _paired(present: list[str], known: list[str], random: Random) -> dict[str, str]:
    """Give each name another one; names are used up before one is used again."""
    pool = shuffled(sorted(known), random)
    pairs = {}
    for name in present:
        # Neither part of the other: "Ann Lee" for "Lee" would still be the right person.
        others = [other for other in pool if not {*other.split()} & {*name.split()}]
        if others:
            pairs[name] = others[0]
            pool.remove(others[0])
            pool.append(others[0])
    return pairs


def _whole(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"
