"""An attack on a whole data set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mars_score.attacks.drawing import row_random
from mars_score.attacks.registry import find_attack

if TYPE_CHECKING:
    from mars_score.datasets.base import Dataset
    from mars_score.types import Example


@dataclass(frozen=True, slots=True)
class Attacked:
    """The rows that an attack changed."""

    attack: str
    rows: tuple[int, ...]
    """Their places in the data set."""
    examples: tuple[Example, ...]
    """The same rows with the new candidates."""
    not_applicable: int
    """How many rows the attack leaves unchanged; they are left out."""


def attack_dataset(dataset: Dataset, name: str, seed: int = 0, *, at_most: int | None = None) -> Attacked:
    """Change the candidates. What becomes of a row depends on the seed, the attack and the row's id and texts.

    `at_most` attacks a random sample of so many rows at most, by whole items; of a larger sample, the smaller
    one is a part.
    """
    perturb = find_attack(name).prepare(dataset.rows)
    examples, changed = dataset.examples, dict[int, "Example"]()
    places = range(len(dataset)) if at_most is None else _sample(dataset, at_most, seed)
    for place in places:
        example = examples[place]
        text = perturb(example, row_random(seed, name, example.id))
        # What differs in white space alone is no attack: metrics and people see the same text.
        if text is not None and text.split() != example.candidate.split():
            changed[place] = replace(example, candidate=text)
    return Attacked(name, tuple(changed), tuple(changed.values()), len(places) - len(changed))


def _sample(dataset: Dataset, rows: int, seed: int) -> list[int]:
    """The places of whole items, drawn until the next would be too much; at least one item."""
    items: dict[str, list[int]] = {}
    for place, row in enumerate(dataset):
        items.setdefault(row.item, []).append(place)
    drawn: list[int] = []
    for item in sorted(items, key=lambda item: row_random(seed, "sample", item).random()):
        if drawn and len(drawn) + len(items[item]) > rows:
            break
        drawn += items[item]
    return sorted(drawn)
