"""Rows, and augmentations that nobody computed. Importing this costs little, as processes of tests do it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.types import Augmentation, AugmentedReference, Block, Example, Pair, Template

if TYPE_CHECKING:
    from collections.abc import Sequence


def augmentation(number: int, length: int = 1) -> Augmentation:
    """One that differs from those of other numbers."""
    kept, masked = Block("The fox", blank=False), Block(f" ran {number}" * length, blank=True)
    plain = AugmentedReference(Template(0.0, (Block(kept.text + masked.text, blank=False),)), ())
    filled = AugmentedReference(Template(0.2, (kept, masked)), (f" slept for {number} days",))
    return Augmentation((plain, filled), ("context_truncated",))


def rows(count: int) -> list[Example]:
    """Rows with a reference each."""
    return [
        Example(str(i), f"Candidate {i}.", (f"The red fox number {i} ran home quickly.",), f"Context {i}.")
        for i in range(count)
    ]


def computed(pairs: Sequence[Pair]) -> list[Augmentation]:
    """What toys compute for a pair: it follows from the pair alone."""
    return [augmentation(len(pair.reference)) for pair in pairs]
