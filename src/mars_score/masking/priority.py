"""Mask priority (Eq. 1): common words and words of detail are masked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mars_score.config import MaskingConfig
    from mars_score.masking.tagging import Tag


def priority(tag: Tag, idf: float, config: MaskingConfig) -> float:
    """Return the weight of the part of speech over the inverse document frequency."""
    weight = {
        "adjective": config.adjective,
        "adverb": config.adverb,
        "noun": config.noun,
        "other": config.other,
    }
    return weight[tag] / idf
