"""From a reference to its templates: one for each masking ratio."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from mars_score.masking import knapsack
from mars_score.masking.cost import costs
from mars_score.text.languages import ENGLISH, resolved
from mars_score.text.words import is_function_word, is_punctuation, words
from mars_score.types import Block, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.config import MaskingConfig
    from mars_score.masking.tagging import Tag, Tagger
    from mars_score.text.frequency import Idf
    from mars_score.text.words import Word


def priority(tag: Tag, idf: float, config: MaskingConfig) -> float:
    """Mask priority (Eq. 1): the weight of the part of speech over the inverse document frequency."""
    weight = {
        "adjective": config.adjective,
        "adverb": config.adverb,
        "noun": config.noun,
        "other": config.other,
    }
    return weight[tag] / idf


@dataclass(frozen=True, slots=True)
class WordPlan:
    """A word of a reference and what decides whether it is masked."""

    word: Word
    tag: Tag
    idf: float
    priority: float
    cost: int


def make_templates(
    context: str, reference: str, config: MaskingConfig, tagger: Tagger, idf: Idf
) -> tuple[Template, ...]:
    """Mask a reference at each ratio of the configuration; nothing masked is one text block."""
    plans = explain_words(context, reference, config, tagger, idf)
    maskable = [plan for plan in plans if config.marks or not is_punctuation(plan.word.text)]
    chosen = knapsack.masks(
        [plan.priority for plan in maskable],
        [plan.cost for plan in maskable],
        [knapsack.budget(ratio, len(maskable)) for ratio in config.ratios],
    )
    language = resolved(config.language, reference, context)
    templates = []
    before: frozenset[Word] = frozenset()
    for ratio, mask in zip(config.ratios, chosen, strict=True):
        masked = frozenset(plan.word for plan, blank in zip(maskable, mask, strict=True) if blank)
        if masked and masked <= before:
            masked = before | _next_to_mask(maskable, before)
        before = masked
        blanks = merged([plan.word for plan in plans], masked, config.merge_gaps, language)
        templates.append(Template(ratio, blocks(reference, [plan.word for plan in plans], blanks)))
    return tuple(templates)


def _next_to_mask(plans: Sequence[WordPlan], masked: frozenset[Word]) -> frozenset[Word]:
    """The word that the next budget would pay for: the cheapest, then the one of highest priority; the last one stays.

    Words of the context cost so much that several ratios may mask the same words; then a higher one masks one more.
    """
    left = [plan for plan in plans if plan.word not in masked]
    if len(left) < 2:
        return frozenset()
    return frozenset({min(left, key=lambda plan: (plan.cost, -plan.priority)).word})


def explain_words(
    context: str, reference: str, config: MaskingConfig, tagger: Tagger, idf: Idf
) -> tuple[WordPlan, ...]:
    """Return the words of a reference with their part of speech, IDF, priority and cost."""
    language = resolved(config.language, reference, context)
    found = words(reference, language)
    texts = [word.text for word in found]
    untagged: list[Tag] = ["other"] * len(texts)
    tags = tagger.tags(texts) if tagger.language == language else untagged
    idfs = list(map(idf.within(language), texts))
    priorities = [priority(tag, value, config) for tag, value in zip(tags, idfs, strict=True)]
    prices = costs([word.text for word in words(context, language)], texts, config.shared_cost)
    return tuple(map(WordPlan, found, tags, idfs, priorities, prices))


def merged(words: Sequence[Word], masked: frozenset[Word], gap: int, language: str = ENGLISH) -> list[bool]:
    """Mask runs of at most `gap` function words between two blanks too: stumps that no fill can join."""
    runs = [(blank, list(run)) for blank, run in groupby(words, masked.__contains__)]
    result: list[bool] = []
    for number, (blank, run) in enumerate(runs):
        inside = 0 < number < len(runs) - 1 and len(run) <= gap
        stump = inside and all(is_function_word(word.text, language) for word in run)
        result += [blank or stump] * len(run)
    return result


def blocks(reference: str, found: Sequence[Word], mask: Sequence[bool]) -> tuple[Block, ...]:
    """Cut a reference into runs of masked and unmasked words.

    White space belongs to the word after it, and at the end of the text to the last block.
    """
    if not found:
        return (Block(reference, blank=False),)
    runs = [
        (blank, [word for word, _ in run])
        for blank, run in groupby(zip(found, mask, strict=True), lambda p: p[1])
    ]
    ends = [run[-1].end for _, run in runs]
    ends[-1] = len(reference)
    starts = [0, *ends[:-1]]
    return tuple(
        Block(reference[start:end], blank) for start, end, (blank, _) in zip(starts, ends, runs, strict=True)
    )
