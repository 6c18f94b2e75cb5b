"""Sentences, and ways to spoil them of which every word knows whether it suffered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

LONGEST = 60
"""Words of a text; the tail of a longer one is cut."""
FRAGMENTS = 0.15
"""The share of texts that are cut down to a few words, as headlines and short answers are."""
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[A-Z\"'])")


@dataclass(frozen=True, slots=True)
class Spoilt:
    """Words, and which of them are out of place."""

    words: list[str]
    wrong: list[bool]


def passages(paragraphs: Sequence[str], random: Random) -> Iterator[list[str]]:
    """One to three sentences at a time, as words; now and then a fragment."""
    for paragraph in paragraphs:
        if "<unk>" in paragraph:
            continue
        sentences = [part for part in _SENTENCE_END.split(paragraph) if part]
        start = 0
        while start < len(sentences):
            count = random.choice((1, 1, 1, 2, 3))
            words = " ".join(sentences[start : start + count]).split()[:LONGEST]
            start += count
            if len(words) < 4:
                continue
            if random.random() < FRAGMENTS:
                first = random.randrange(len(words) - 3)
                words = words[first : first + random.randint(2, 8)]
            yield words


def reorder(words: list[str], random: Random) -> Spoilt:
    """Let a share of the words change places; a word that gets its own kind back is not wrong."""
    share = random.choice((0.25, 0.5, 0.5, 0.5, 0.75, 1.0))
    places = random.sample(range(len(words)), min(len(words), max(2, int(len(words) * share))))
    others = random.sample(places, len(places))
    changed, wrong = list(words), [False] * len(words)
    for position, other in zip(places, others, strict=True):
        changed[position] = words[other]
        wrong[position] = words[other].lower() != words[position].lower()
    return Spoilt(changed, wrong)


def swap(words: list[str], random: Random) -> Spoilt:
    """Swap neighbours, one pair in ten words."""
    changed, wrong = list(words), [False] * len(words)
    for _ in range(max(1, len(words) // 10)):
        position = random.randrange(len(words) - 1)
        changed[position], changed[position + 1] = changed[position + 1], changed[position]
        wrong[position] = wrong[position + 1] = True
    return Spoilt(changed, wrong)


def drop(words: list[str], random: Random) -> Spoilt:
    """Leave words out; the word after a gap is wrong."""
    share = random.choice((0.1, 0.2, 0.3))
    kept = [position for position in range(len(words)) if random.random() >= share] or [0]
    return Spoilt(
        [words[position] for position in kept],
        [position > 0 and position - 1 not in kept for position in kept],
    )


def repeat(words: list[str], random: Random) -> Spoilt:
    """Say a few words again, once to three times; the repetitions are wrong."""
    first = random.randrange(len(words))
    last = min(len(words), first + random.randint(1, 6))
    again = words[first:last] * random.randint(1, 3)
    return Spoilt(
        words[:last] + again + words[last:],
        [False] * last + [True] * len(again) + [False] * (len(words) - last),
    )


def replacing(stock: Sequence[str]) -> Callable[[list[str], Random], Spoilt]:
    """Return what puts words of other texts in the place of some."""

    def replace(words: list[str], random: Random) -> Spoilt:
        share = random.choice((0.1, 0.2, 0.4))
        changed, wrong = list(words), [False] * len(words)
        for position in random.sample(range(len(words)), max(1, int(len(words) * share))):
            changed[position], wrong[position] = random.choice(stock), True
        return Spoilt(changed, wrong)

    return replace


def leave(words: list[str], random: Random) -> Spoilt:
    """Spoil nothing."""
    return Spoilt(words, [False] * len(words))
