"""A scale that can be read: 0 is an unrelated text, 100 a copy of the best reference of the same item."""

from __future__ import annotations

from dataclasses import dataclass

UNRELATED = (
    "Fold the napkins twice and lay them beside the plates.",
    "The left bearing of the pump has to be greased every spring.",
    "Her cousin collects postage stamps with pictures of whales.",
    "Clouds will move in from the coast late in the afternoon.",
    "A prime number is divisible by itself and by one alone.",
    "The choir rehearses in the gym while the hall is painted.",
    "Please keep your receipt in case the shoes do not fit.",
    "Volcanic soil is rich in minerals, so vines grow well in it.",
    "He tuned the old guitar and hummed a song about trains.",
)
"""Of many subjects, without numbers and names. The middle one of their scores counts, should some be related."""


@dataclass(frozen=True, slots=True)
class PercentScale:
    """The two points of an item's scale, as scores."""

    unrelated: float
    """The median of what the unrelated texts get."""
    copy: float
    """What a copy of the best human reference gets."""

    def percent(self, score: float) -> float:
        """The place of a score between the two, from 0 to 100."""
        if self.copy <= self.unrelated:  # as with an empty reference
            return 100.0 if score >= self.copy else 0.0
        return 100.0 * min(1.0, max(0.0, (score - self.unrelated) / (self.copy - self.unrelated)))
