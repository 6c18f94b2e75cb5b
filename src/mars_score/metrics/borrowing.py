"""What a text takes over from its context: in words, in runs of words, and how much of the context that is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from mars_score.similarity.pieces import rarity

RUN = 3
"""Words of a run."""
_WORD = re.compile(r"\w+|[^\w\s]")
Run = tuple[str, ...]


def words(text: str) -> list[str]:
    """Lower-case words and single marks."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=64)  # what a text copies and what it echoes is asked one after the other
def runs(text: str) -> tuple[Run, ...]:
    """All runs of three words, in order."""
    found = words(text)
    return tuple(zip(*(found[start:] for start in range(RUN)), strict=False))


@dataclass(frozen=True, slots=True)
class Source:
    """A context, ready to be compared with what was made from it."""

    words: frozenset[str] = field(repr=False)
    runs: frozenset[Run] = field(repr=False)

    @classmethod
    def of(cls, context: str) -> Source:
        """Read a context."""
        return cls(frozenset(words(context)), frozenset(runs(context)))

    def copied(self, text: str) -> float:
        """The share of a text's runs that stand in the context; 0 for a text of less than three words."""
        found = runs(text)
        return sum(run in self.runs for run in found) / len(found) if found else 0.0

    def echoed(self, text: str) -> float:
        """The share of the context's runs that stand in a text."""
        return len(self.runs.intersection(runs(text))) / len(self.runs) if self.runs else 0.0

    def covered(self, text: str) -> float:
        """The share of what a text says that the context says: words, the rare ones counting more."""
        weights = [(word, _weight(word)) for word in words(text)]
        total = sum(weight for _, weight in weights)
        return sum(weight for word, weight in weights if word in self.words) / total if total else 0.0


@lru_cache(maxsize=1 << 16)
def _weight(word: str) -> float:
    return rarity(word) if word[0].isalnum() else 0.0
