"""Repetition: the candidate says something twice, and nothing else changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.attacks.drawing import one_of
from mars_score.attacks.layout import sentence_spans, token_spans

if TYPE_CHECKING:
    from random import Random

    from mars_score.types import Example


def repeat(example: Example, random: Random) -> str | None:
    """Say a sentence again, right after it; in a text of one sentence, say the first half of its tokens again."""
    text = example.candidate
    spans = sentence_spans(text)
    if len(spans) > 1:
        start, end = one_of(spans, random)
    else:
        tokens = token_spans(text)
        if not tokens:
            return None
        start, end = tokens[0][0], tokens[(len(tokens) + 1) // 2 - 1][1]
    return f"{text[:end]} {text[start:end]}{text[end:]}"
