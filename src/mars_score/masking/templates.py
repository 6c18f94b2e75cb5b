"""From a reference to its templates: one for each masking ratio."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from mars_score.masking import knapsack
from mars_score.masking.cost import costs
from mars_score.masking.priority import priority
from mars_score.text.languages import resolved
from mars_score.text.words import words
from mars_score.types import Block, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.config import MaskingConfig
    from mars_score.masking.tagging import Tag, Tagger
    from mars_score.text.frequency import Idf
    from mars_score.text.words import Word


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
    chosen = knapsack.masks(
        [plan.priority for plan in plans],
        [plan.cost for plan in plans],
        [knapsack.budget(ratio, len(plans)) for ratio in config.ratios],
    )
    found = [plan.word for plan in plans]
    return tuple(
        Template(ratio, blocks(reference, found, merged(mask, config.merge_gaps)))
        for ratio, mask in zip(config.ratios, chosen, strict=True)
    )


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


def merged(mask: Sequence[bool], gap: int) -> list[bool]:
    """Mask runs of at most `gap` words that stand between two blanks: stumps that no fill can join."""
    runs = [(blank, len(list(run))) for blank, run in groupby(mask)]
    result: list[bool] = []
    for number, (blank, count) in enumerate(runs):
        inside = 0 < number < len(runs) - 1
        result += [blank or (inside and count <= gap)] * count
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
