"""Name swap: names of people, places and things become other names of the same row.

There is no model. A name is a run of capitalised words. The first word of a sentence is part of a name only if
the row has it before another word too and never in lower case, and it is not a common opening word.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from mars_score.attacks.drawing import shuffled
from mars_score.attacks.layout import passage, sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from mars_score.types import Example

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
