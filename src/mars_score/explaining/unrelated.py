"""Candidates in the wrong place: each item gets what was written for another one."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from mars_score.attacks.layout import passage
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.types import Pair

Item = tuple["Pair", ...]


def unrelated(examples: Sequence[Example], others: Sequence[Example], bound: int, seed: int) -> list[Example]:
    """Return the items of examples with candidates that were written for other items; at most `bound` of them.

    Every item gets the candidate of another passage before any gets a second one, and no two get the same in
    one turn: a derangement. `others` are further rows that candidates may come from.
    """
    random = Random(seed)
    sample = {example.pairs: example for example in examples}
    written: dict[Item, list[str]] = {example.pairs: [] for example in (*examples, *others)}
    about = {example.pairs: _subject(example) for example in (*examples, *others)}
    for example in (*examples, *others):
        if example.candidate.strip() and example.candidate not in written[example.pairs]:
            written[example.pairs].append(example.candidate)
    order = list(written)
    random.shuffle(order)
    # Items of one passage stand together, so a step as long as the largest such group leads to another passage.
    subjects = {subject: place for place, subject in enumerate(dict.fromkeys(about[item] for item in order))}
    order.sort(key=lambda item: subjects[about[item]])
    step = max(Counter(about.values()).values(), default=0)
    places = [place for place, item in enumerate(order) if item in sample]
    random.shuffle(places)
    found: list[Example] = []
    for turn in range(len(order)):
        for place in places:
            item, other = order[place], order[(place + step + turn) % len(order)]
            if about[other] == about[item] or not written[other]:
                continue
            if len(found) == bound:
                return found
            own, candidate = sample[item], written[other][turn % len(written[other])]
            name = f"unrelated {len(found) + 1}"
            found.append(Example(name, candidate, own.references, own.context, own.question))
    return found


def _subject(example: Example) -> tuple[str, ...]:
    """What an example is about: its passage, and where there is none its references."""
    text = passage(example)
    return (text,) if text else example.references
