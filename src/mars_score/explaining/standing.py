"""Where a score stands: above texts about something else, below what one person's text gets from another's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """The scores that a score is held against."""

    scores: tuple[float, ...]
    """Of the file's candidates."""
    floor: tuple[float, ...]
    """Of candidates that were written for something else."""
    ceiling: tuple[float, ...]
    """Of references held against the item's other references: people against people."""
    itself: tuple[float, ...] = ()
    """Of references held against themselves, where no item has two: not a human ceiling."""
