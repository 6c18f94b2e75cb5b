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


def attack_dataset(dataset: Dataset, name: str, seed: int = 0) -> Attacked:
    """Change the candidates. What becomes of a row depends on the seed, the attack and the row's id and texts."""
    perturb = find_attack(name).prepare(dataset.rows)
    changed: dict[int, Example] = {}
    for place, example in enumerate(dataset.examples):
        text = perturb(example, row_random(seed, name, example.id))
        # What differs in white space alone is no attack: metrics and people see the same text.
        if text is not None and text.split() != example.candidate.split():
            changed[place] = replace(example, candidate=text)
    return Attacked(name, tuple(changed), tuple(changed.values()), len(dataset) - len(changed))
