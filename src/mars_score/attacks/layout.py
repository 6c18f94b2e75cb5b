"""Parts of texts, with the white space around them kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mars_score.similarity.sentences import sentences

if TYPE_CHECKING:
    from mars_score.types import Example

_TOKEN = re.compile(r"\S+")


def token_spans(text: str) -> list[tuple[int, int]]:
    """Return where the tokens start and end: what stands between white space, punctuation included."""
    return [found.span() for found in _TOKEN.finditer(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences start and end."""
    spans, at = [], 0
    for sentence in sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        spans.append((start, at))
    return spans


def passage(example: Example) -> str:
    """Return the context without the question that ends it."""
    context = example.context.strip()
    return context.removesuffix(example.question.strip()).rstrip() if example.question.strip() else context
