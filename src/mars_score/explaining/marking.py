"""Which runs of a text are special: shared with the context, blanked out, or written by the language model."""

from __future__ import annotations

from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from mars_score.explaining.explained import ContextPiece, ExplainedWord, Piece, Variant
from mars_score.masking.cost import _fold as fold
from mars_score.masking.cost import common
from mars_score.masking.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.masking.templates import WordPlan
    from mars_score.masking.words import Word
    from mars_score.types import AugmentedReference, Block, Template


def shared_words(context: Sequence[Word], reference: str) -> tuple[frozenset[int], frozenset[int]]:
    """Return which words of the context and which of the reference make up their longest common subsequence."""
    ours = [fold(word.text) for word in context]
    theirs = [fold(word.text) for word in words(reference)]
    places = common(ours, theirs)
    found, at = set(), 0
    for place in sorted(
        places
    ):  # each at its first match in what is left of the context, as when it was found
        at = ours.index(theirs[place], at)
        found.add(at)
        at += 1
    return frozenset(found), places


def context_pieces(
    context: str, found: Sequence[Word], shared: Sequence[frozenset[int]]
) -> tuple[ContextPiece, ...]:
    """Cut a context into runs that the same references share.

    `found` are the words of the context, and `shared` says which of them each reference has.
    """
    of_word = [
        tuple(number for number, places in enumerate(shared) if place in places)
        for place in range(len(found))
    ]
    # Every character has an owner: the white space between two words of one run belongs to the run.
    owners: list[tuple[int, ...]] = [()] * len(context)
    previous_end, previous = 0, tuple[int, ...]()
    for word, owner in zip(found, of_word, strict=True):
        owners[word.start : word.end] = [owner] * (word.end - word.start)
        if owner == previous:
            owners[previous_end : word.start] = [owner] * (word.start - previous_end)
        previous_end, previous = word.end, owner
    runs = groupby(zip(context, owners, strict=True), lambda pair: pair[1])
    return tuple(ContextPiece("".join(character for character, _ in run), owner) for owner, run in runs)


def explained_words(
    reference: str, plans: Sequence[WordPlan], shared: frozenset[int], templates: Sequence[Template]
) -> tuple[ExplainedWord, ...]:
    """Return a reference's words with the ratios at which they were masked."""
    starts = [0, *(plan.word.end for plan in plans)]
    return tuple(
        ExplainedWord(
            text=plan.word.text,
            gap=reference[start : plan.word.start],
            part_of_speech=plan.tag,
            idf=plan.idf,
            priority=plan.priority,
            cost=plan.cost,
            shared=place in shared,
            masked_at=tuple(
                dict.fromkeys(
                    template.ratio for template in templates if _is_blank(template, plan.word.start)
                )
            ),
        )
        for place, (plan, start) in enumerate(zip(plans, starts, strict=False))
    )


def variant(augmented: AugmentedReference) -> Variant:
    """Return an augmented reference with its blanks and fills marked."""
    return Variant(
        augmented.ratio, pieces(augmented.template.blocks), pieces(augmented.segments), augmented.text
    )


def pieces(blocks: Sequence[Block]) -> tuple[Piece, ...]:
    """Return blocks with the white space around marked words left unmarked."""
    found = []
    for block in blocks:
        gap = len(block.text) - len(block.text.lstrip())
        tail = len(block.text.rstrip())
        if not block.blank or tail <= gap:
            parts = [Piece(block.text, marked=False)] if block.text else []
        else:
            cut = ((block.text[:gap], False), (block.text[gap:tail], True), (block.text[tail:], False))
            parts = [Piece(text, marked) for text, marked in cut if text]
        found += parts
    return tuple(found)


def _is_blank(template: Template, place: int) -> bool:
    ends = accumulate(len(block.text) for block in template.blocks)
    return next((block.blank for block, end in zip(template.blocks, ends, strict=True) if place < end), False)
