"""From a scorer's results to explanations: candidates of one item together, with their texts marked."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.io.datasets.base import mean, number, number_list
from mars_score.io.examples import clean_examples
from mars_score.io.fields import RowLocation, field_names, to_example
from mars_score.io.output import INPUTS, format_of
from mars_score.io.readers import raw_rows
from mars_score.io.source import is_regular
from mars_score.masking.templates import common, fold
from mars_score.progress import StageProgress, silent_stages
from mars_score.text.cleaning import clean
from mars_score.text.languages import ENGLISH, resolved
from mars_score.text.words import first_words, words
from mars_score.web.explain.data import (
    ContextPiece,
    ExplainedCandidate,
    ExplainedItem,
    ExplainedReference,
    ExplainedTerm,
    ExplainedVariant,
    ExplainedWord,
    Piece,
    with_ranks,
)
from mars_score.web.explain.marks import ReadText, close_reader, find_marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.encoders.token_level import TokenLevelEncoder
    from mars_score.mars.scorer import MarsScorer
    from mars_score.masking.templates import WordPlan
    from mars_score.text.words import Word
    from mars_score.types import (
        Augmentation,
        AugmentedReference,
        Block,
        Comparison,
        Example,
        Fact,
        ItemScore,
        Pair,
        Template,
    )


def with_corpus(scorer: MarsScorer, examples: Sequence[Example]) -> MarsScorer:
    """Return the scorer; where its corpus would be the examples of each call, one whose corpus is these."""
    if scorer.config.masking.idf != "corpus" or scorer.corpus is not None:
        return scorer
    settled = scorer.with_options()
    settled.corpus = list(examples)
    return settled


def read_ratings(
    path: str, *, fields: Mapping[str, str] | None = None, format: str | None = None, human: str = "human"
) -> dict[str, float]:
    """Return ratings by row id, from the field `human`, else the mean of ``ratings``.

    What can be read only once, as a pipe, and Parquet have none.
    """
    kind = format_of(path, format, INPUTS)
    if not is_regular(path) or kind in (None, "parquet"):
        return {}
    names, found = field_names(fields), {}
    for count, row in enumerate(raw_rows(path, str(kind), names), 1):
        identity = to_example(row, count, names, path).id
        place = RowLocation(path, row.line, identity)
        rating = number(row.values.get(human), human, place)
        ratings = () if rating is not None else number_list(row.values.get("ratings"), "ratings", place)
        if rating is not None or ratings:
            found[identity] = mean(ratings) if rating is None else rating
    return found


def shared_words(context: Sequence[Word], reference: Sequence[Word]) -> tuple[frozenset[int], frozenset[int]]:
    """Return which words of the context and which of the reference make up their longest common subsequence."""
    ours = [fold(word.text) for word in context]
    theirs = [fold(word.text) for word in reference]
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
        tuple(index for index, places in enumerate(shared) if place in places) for place in range(len(found))
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


def variant(augmented: AugmentedReference) -> ExplainedVariant:
    """Return an augmented reference with its blanks and fills marked."""
    return ExplainedVariant(
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
    reader = close_reader(scorer.encoder)
    groups: dict[tuple[Pair, ...], list[int]] = {}
    for place, example in enumerate(cleaned):
        groups.setdefault(example.pairs, []).append(place)
    explained = []
    for count, (pairs, places) in enumerate(groups.items(), 1):
        found = [augmented[pair] for pair in pairs]
        context, references = _references(scorer, cleaned[places[0]], found)
        languages = [_language(scorer, pair) for pair in pairs]
        read = [
            ReadText.of(reference.text, reader, language)
            for reference, language in zip(references, languages, strict=True)
        ]
        candidates = tuple(
            _with_marks(
                _candidate(examples[place], cleaned[place], items[place], found, humans or {}),
                cleaned[place].context, read, items[place].facts, reader,
            )
            for place in places
        )  # fmt: skip
        rule = scorer.config.scoring.references
        explained.append(ExplainedItem(count, context, references, candidates, rule))
        progress("explaining", count, len(groups))
    return with_ranks(explained)


def _references(
    scorer: MarsScorer, example: Example, augmented: Sequence[Augmentation]
) -> tuple[tuple[ContextPiece, ...], tuple[ExplainedReference, ...]]:
    longest = scorer.config.masking.max_words
    languages = [_language(scorer, pair) for pair in example.pairs]
    # Words beyond the longest reference were never looked at.
    texts = [
        first_words(reference, longest, language)
        for reference, language in zip(example.references, languages, strict=True)
    ]
    plans = scorer.explain_words(replace(example, references=tuple(texts)))
    in_context, found, context = [], [], words(example.context, languages[0])
    for text, known in zip(texts, augmented, strict=True):
        planned = plans[clean(text)]
        ours, theirs = shared_words(context, [plan.word for plan in planned])
        in_context.append(ours)
        templates = [one.template for one in known.augmented]
        told = explained_words(text, planned, theirs, templates)
        found.append(ExplainedReference(text, told, tuple(map(variant, known.augmented))))
    return context_pieces(example.context, context, in_context), tuple(found)


def _language(scorer: MarsScorer, pair: Pair) -> str:
    """The language whose words a reference was masked by."""
    return resolved(scorer.config.masking.language, pair.reference, pair.context)


def _candidate(
    given: Example,
    cleaned: Example,
    item: ItemScore,
    augmented: Sequence[Augmentation],
    humans: Mapping[str, float],
) -> ExplainedCandidate:
    owners: dict[AugmentedReference, int] = {}
    for index, found in enumerate(augmented):
        for one in found.augmented:
            owners.setdefault(one, index)
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
        copied=item.copied,
        percent=item.percent,
        human=humans.get(given.id),
    )


def _with_marks(
    candidate: ExplainedCandidate,
    context: str,
    references: Sequence[ReadText],
    facts: Sequence[Fact],
    reader: TokenLevelEncoder | None,
) -> ExplainedCandidate:
    numbers = dict.fromkeys(term.reference for term in candidate.terms if term.reference is not None)
    held_against = [(number, references[number]) for number in numbers]
    read = ReadText.of(candidate.text, reader, references[0].language if references else ENGLISH)
    return replace(candidate, marks=find_marks(read, held_against, context, facts))


def _term(comparison: Comparison, owners: Mapping[AugmentedReference, int]) -> ExplainedTerm:
    return ExplainedTerm(
        reference=owners.get(comparison.augmented),
        ratio=comparison.ratio,
        segments=pieces(comparison.augmented.segments),
        cosine=comparison.cosine,
        weight=comparison.weight,
        contribution=comparison.cosine * comparison.weight,
    )
