"""Attacks that rearrange what is there: copies, Reorder, Retrieve, repetition, truncation, unrelated texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mars_score.study.attacks.base import one_of, passage, sentence_spans, shuffled, token_spans
from mars_score.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from mars_score.io.datasets.base import Rated
    from mars_score.study.attacks.base import Perturb
    from mars_score.types import Example


# Copies: of a reference, which is a ceiling for metrics, and of the context.


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


# Reorder (Table 4): "randomly reorders 50% of tokens in the candidates".

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


# Repetition: the candidate says something twice, and nothing else changes.


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


# Retrieve (Table 4): "randomly retrieves a sentence from the context as a candidate".


def retrieve(example: Example, random: Random) -> str | None:
    """Draw a sentence of the context. The question is no part of what can be retrieved."""
    found = [text for text in dict.fromkeys(sentences(passage(example))) if re.search(r"\w", text)]
    others = [text for text in found if text != example.candidate.strip()]
    return one_of(others, random) if others else None


# Truncation: the candidate stops half-way.


def truncate(example: Example, random: Random) -> str | None:
    """Keep the first half of the tokens, rounded up."""
    spans = token_spans(example.candidate)
    if len(spans) < 2:
        return None
    return example.candidate[: spans[(len(spans) + 1) // 2 - 1][1]]


# Unrelated: what the same system wrote about something else. It is as fluent, and beside the point.

_DRAWS = 10


def unrelated(rows: Sequence[Rated]) -> Perturb:
    """Draw a candidate of the same system for another item, and for another passage where there is one."""
    by_id = {row.id: (row.system, row.item) for row in rows}
    by_system: dict[str, list[tuple[str, str, str]]] = {}
    # By text, so that the draw depends neither on the order of rows nor on which ids they have.
    for row in sorted(rows, key=lambda row: (row.example.candidate, row.item)):
        if row.example.candidate.strip():
            other = row.item, passage(row.example), row.example.candidate
            by_system.setdefault(row.system, []).append(other)

    def perturb(example: Example, random: Random) -> str | None:
        system, item = by_id[example.id]
        own = passage(example)

        def fits(row: tuple[str, str, str]) -> bool:
            other, about, candidate = row
            return (
                other != item and (about != own or not own) and candidate.strip() != example.candidate.strip()
            )

        pool = by_system.get(system, [])
        # Nearly every row fits, so a few draws save looking through all of them for each of them.
        drawn = (one_of(pool, random) for _ in range(_DRAWS if pool else 0))
        found = next(filter(fits, drawn), None)
        if found is None:
            others = list(filter(fits, pool))
            found = one_of(others, random) if others else None
        return found[2] if found else None

    return perturb
