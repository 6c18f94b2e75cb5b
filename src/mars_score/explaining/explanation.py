"""From a scorer's results to explanations: candidates of one item together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.examples import clean_examples
from mars_score.explaining.corpus import with_corpus
from mars_score.explaining.explained import (
    ContextPiece,
    ExplainedCandidate,
    ExplainedItem,
    ExplainedReference,
    ExplainedWord,
    Piece,
    Term,
    Variant,
    as_dict,
)
from mars_score.explaining.marking import context_pieces, explained_words, pieces, shared_words, variant
from mars_score.explaining.ranks import with_ranks
from mars_score.masking.words import first_words, words
from mars_score.progress import StageProgress, silent_stages
from mars_score.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.scorer import MarsScorer
    from mars_score.types import Augmentation, AugmentedReference, Comparison, Example, ItemScore, Pair

__all__ = [
    "ContextPiece",
    "ExplainedCandidate",
    "ExplainedItem",
    "ExplainedReference",
    "ExplainedWord",
    "Piece",
    "Term",
    "Variant",
    "as_dict",
    "explain_examples",
]

SMALLEST_REST = 1e-6
"""Sums of floats differ by less; what is left below it is nothing."""


def explain_examples(
    scorer: MarsScorer,
    examples: Sequence[Example],
    items: Sequence[ItemScore] | None = None,
    *,
    humans: Mapping[str, float] | None = None,
    progress: StageProgress = silent_stages,
) -> tuple[ExplainedItem, ...]:
    """Explain the scores of examples; those with the same context and references become one item.

    `items` are the scores where they are known already, by this scorer and in the same order. `humans` has
    people's ratings by the examples' ids.
    """
    scorer = with_corpus(scorer, examples)
    if items is None:
        items = scorer.score_examples(examples, progress=progress).items
    if len(items) != len(examples):
        raise InputError(
            f"{len(examples)} examples but {len(items)} scores",
            remedy="give the score of each example, in the same order, or none",
        )
    augmented = scorer.augment_examples(examples, progress=progress)
    cleaned = clean_examples(examples)
    groups: dict[tuple[Pair, ...], list[int]] = {}
    for place, example in enumerate(cleaned):
        groups.setdefault(example.pairs, []).append(place)
    explained = []
    for number, (pairs, places) in enumerate(groups.items(), 1):
        found = [augmented[pair] for pair in pairs]
        context, references = _references(scorer, cleaned[places[0]], found)
        candidates = tuple(
            _candidate(examples[place], cleaned[place], items[place], found, humans or {}) for place in places
        )
        rule = scorer.config.scoring.references
        explained.append(ExplainedItem(number, context, references, candidates, rule))
        progress("explaining", number, len(groups))
    return with_ranks(explained)


def _references(
    scorer: MarsScorer, example: Example, augmented: Sequence[Augmentation]
) -> tuple[tuple[ContextPiece, ...], tuple[ExplainedReference, ...]]:
    """Return the context with its shared words, and the references."""
    longest = scorer.config.masking.max_words
    # Words beyond the longest reference were never looked at.
    texts = [first_words(reference, longest) for reference in example.references]
    plans = scorer.explain_words(replace(example, references=tuple(texts)))
    in_context, found, context = [], [], words(example.context)
    for text, known in zip(texts, augmented, strict=True):
        ours, theirs = shared_words(context, text)
        in_context.append(ours)
        templates = [one.template for one in known.augmented]
        told = explained_words(text, plans[clean(text)], theirs, templates)
        found.append(ExplainedReference(text, told, tuple(map(variant, known.augmented))))
    return context_pieces(example.context, context, in_context), tuple(found)


def _candidate(
    given: Example,
    cleaned: Example,
    item: ItemScore,
    augmented: Sequence[Augmentation],
    humans: Mapping[str, float],
) -> ExplainedCandidate:
    owners: dict[AugmentedReference, int] = {}
    for number, found in enumerate(augmented):
        for one in found.augmented:
            owners.setdefault(one, number)
    terms = tuple(_term(comparison, owners) for comparison in item.augmented)
    total = sum(term.contribution for term in terms) + sum(one.amount for one in item.adjustments)
    rest = item.score - total
    return ExplainedCandidate(
        id=given.id,
        text=cleaned.candidate,
        written=given.candidate,
        score=item.score,
        terms=terms,
        adjustments=item.adjustments,
        rest=rest if abs(rest) > SMALLEST_REST else 0.0,
        flags=item.flags,
        human=humans.get(given.id),
    )


def _term(comparison: Comparison, owners: Mapping[AugmentedReference, int]) -> Term:
    return Term(
        reference=owners.get(comparison.augmented),
        ratio=comparison.ratio,
        segments=pieces(comparison.augmented.segments),
        cosine=comparison.cosine,
        weight=comparison.weight,
        contribution=comparison.cosine * comparison.weight,
    )
