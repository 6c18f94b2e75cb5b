"""Reorder (Table 4): "randomly reorders 50% of tokens in the candidates"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.attacks.drawing import shuffled
from mars_score.attacks.layout import token_spans

if TYPE_CHECKING:
    from random import Random

    from mars_score.types import Example

_TRIES = 20
"""Equal tokens may change places without a trace; other tokens are drawn then."""


def reorder(example: Example, random: Random) -> str | None:
    """Move half of the tokens, rounded up and at least two, in a ring: each takes the place of another."""
    text = example.candidate
    spans = token_spans(text)
    tokens = [text[start:end] for start, end in spans]
    if len(set(tokens)) < 2:
        return None
    for _ in range(_TRIES):
        chosen = shuffled(range(len(tokens)), random)[: max(2, (len(tokens) + 1) // 2)]
        moved = tokens.copy()
        for target, source in zip(chosen, chosen[1:] + chosen[:1], strict=True):
            moved[target] = tokens[source]
        if moved != tokens:
            return _placed(text, spans, moved)
    return None


def _placed(text: str, spans: list[tuple[int, int]], tokens: list[str]) -> str:
    """Put tokens into the places of the old ones; the white space stays."""
    parts, at = [], 0
    for (start, end), token in zip(spans, tokens, strict=True):
        parts += [text[at:start], token]
        at = end
    return "".join([*parts, text[at:]])
