"""What an attack is: a change of the candidate that people would notice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.datasets.base import Rated

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
