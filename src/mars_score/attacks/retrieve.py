"""Retrieve (Table 4): "randomly retrieves a sentence from the context as a candidate"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mars_score.attacks.drawing import one_of
from mars_score.attacks.layout import passage
from mars_score.similarity.sentences import sentences

if TYPE_CHECKING:
    from random import Random

    from mars_score.types import Example


def retrieve(example: Example, random: Random) -> str | None:
    """Draw a sentence of the context. The question is no part of what can be retrieved."""
    found = [text for text in dict.fromkeys(sentences(passage(example))) if re.search(r"\w", text)]
    others = [text for text in found if text != example.candidate.strip()]
    return one_of(others, random) if others else None
