"""Copies: of a reference, which is a ceiling for metrics, and of the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.attacks.drawing import one_of
from mars_score.attacks.layout import passage, token_spans

if TYPE_CHECKING:
    from random import Random

    from mars_score.types import Example


def copy_reference(example: Example, random: Random) -> str | None:
    """Draw one of the references."""
    return one_of(sorted(set(example.references)), random)


def copy_context(example: Example, random: Random) -> str | None:
    """Take the first tokens of the context, as many as the longest reference has.

    The whole context would be an attack on how metrics treat length. The question is not copied.
    """
    text = passage(example)
    spans = token_spans(text)
    count = max(len(token_spans(reference)) for reference in example.references)
    return text[: spans[min(count, len(spans)) - 1][1]] if spans and count else None
