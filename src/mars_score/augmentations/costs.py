"""What a run has cost so far, for its last line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mars_score.types import Pair

_REFERENCE = 4
"""A character of a reference takes about as long as so many of a context: it is written at several ratios."""


@dataclass(slots=True)
class Costs:
    """References by where their augmentations came from, and what the language model did."""

    augmented: int = 0
    """References that were masked and filled in this process."""
    cached: int = 0
    """References that the cache had; those that another process finished meanwhile among them."""
    packed: int = 0
    """References that the pack had."""
    generated: int = 0
    """Tokens that the language model wrote into blanks."""
    seconds: float = 0.0
    """Spent on masking and filling."""
    loading: float = 0.0
    """Seconds spent on loading the models for that."""
    size: int = 0
    """How much that was, by `size_of`: the basis of estimates."""


def tokens_generated(infiller: Any) -> int:
    """How many tokens an infiller has written; 0 where it does not count."""
    return int(getattr(getattr(getattr(infiller, "engine", None), "counts", None), "generated", 0))


def size_of(pair: Pair) -> int:
    """Return how much work a reference is to augment, in units of its own."""
    return len(pair.context) + _REFERENCE * len(pair.reference)
