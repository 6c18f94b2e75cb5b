"""Truncation: the candidate stops half-way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.attacks.layout import token_spans

if TYPE_CHECKING:
    from random import Random

    from mars_score.types import Example


def truncate(example: Example, random: Random) -> str | None:
    """Keep the first half of the tokens, rounded up."""
    spans = token_spans(example.candidate)
    if len(spans) < 2:
        return None
    return example.candidate[: spans[(len(spans) + 1) // 2 - 1][1]]
