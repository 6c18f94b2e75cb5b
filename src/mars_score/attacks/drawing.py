"""Random choices that follow from the seed and the row alone, so that neither order nor other rows matter.

Everything is built on ``Random.random``, the one method whose numbers Python promises never to change.
"""

from __future__ import annotations

import hashlib
import json
from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

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
