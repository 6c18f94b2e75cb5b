"""What an attack is, random choices that follow from seed and row alone, and parts of texts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, TypeVar

from mars_score.text.words import sentences, without_spaces, words
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.io.datasets.base import Rated


Perturb = Callable[[Example, Random], str | None]
"""Returns the text that takes the candidate's place; ``None`` where the attack does not apply to the row."""


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack and what it is about."""

    description: str
    prepare: Callable[[Sequence[Rated]], Perturb]
    """Gets all rows, for attacks that take texts from other rows, and returns what changes one of them."""
    harmful: bool = True
    """Whether a good metric scores the result lower; the copied reference is a ceiling instead."""


def row_by_row(description: str, perturb: Perturb, *, harmful: bool = True) -> Attack:
    """Make an attack of a function that needs no other row."""
    return Attack(description, lambda rows: perturb, harmful)


# Random choices that follow from the seed and the row alone, so that neither order nor other rows matter.

T = TypeVar("T")


def row_random(seed: int, attack: str, row: str) -> Random:
    """Return the source of randomness of one attack on one row."""
    digest = hashlib.sha256(json.dumps([seed, attack, row]).encode()).digest()
    return Random(int.from_bytes(digest, "big"))


def one_of(choices: Sequence[T], random: Random) -> T:
    """Draw one of several."""
    return choices[int(random.random() * len(choices))]


def shuffled(choices: Sequence[T], random: Random) -> list[T]:
    """Return all of them in random order."""
    keys = [random.random() for _ in choices]
    return [choices[i] for i in sorted(range(len(choices)), key=keys.__getitem__)]


# Parts of texts, with the white space around them kept.

_TOKEN = re.compile(r"\S+")


def token_spans(text: str) -> list[tuple[int, int]]:
    """Return where the tokens start and end: what stands between white space, punctuation included.

    Scripts that are written without spaces are split by character.
    """
    if text.isascii() or not without_spaces(text):
        return [match.span() for match in _TOKEN.finditer(text)]
    return [(word.start, word.end) for word in words(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences start and end."""
    spans, at = [], 0
    for sentence in sentences(text, all_scripts=True):
        start = text.index(sentence, at)
        at = start + len(sentence)
        spans.append((start, at))
    return spans


def passage(example: Example) -> str:
    """Return the context without the question that ends it."""
    context = example.context.strip()
    return context.removesuffix(example.question.strip()).rstrip() if example.question.strip() else context
