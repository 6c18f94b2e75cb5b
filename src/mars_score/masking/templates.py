"""From a reference to its templates, one for each masking ratio: priority, cost, knapsack, blocks (Appendix A)."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

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
    """Mask a reference at each ratio of the configuration; nothing masked is one text block.

    Nothing is masked where fewer than `keep_words` words would be left.
    """
    plans = explain_words(context, reference, config, tagger, idf)
    maskable = [plan for plan in plans if config.marks or not is_punctuation(plan.word.text)]
    chosen = masks(
        [plan.priority for plan in maskable],
        [plan.cost for plan in maskable],
        [budget(ratio, len(maskable)) for ratio in config.ratios],
    )
    language = resolved(config.language, reference, context)
    templates = []
    before: frozenset[Word] = frozenset()
    for ratio, mask in zip(config.ratios, chosen, strict=True):
        masked = frozenset(plan.word for plan, blank in zip(maskable, mask, strict=True) if blank)
        if masked <= before:
            masked = before | _next_to_mask(maskable, before)
        before = masked
        blanks = merged([plan.word for plan in plans], masked, config.merge_gaps, language)
        kept = sum(
            not is_punctuation(plan.word.text) for plan, blank in zip(plans, blanks, strict=True) if not blank
        )
        if kept < config.keep_words:
            blanks = [False] * len(plans)
        templates.append(Template(ratio, blocks(reference, [plan.word for plan in plans], blanks)))
    return tuple(templates)


def _next_to_mask(plans: Sequence[WordPlan], masked: frozenset[Word]) -> frozenset[Word]:
    """The word that the next budget would pay for: the cheapest, then the one of highest priority; the last one stays.

    Words of the context cost so much that several ratios may mask the same words; then a higher one masks one more.
    Where the lowest ratio would mask nothing, as in a text of four words, it masks one.
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
    reference_words = words(reference, language)
    texts = [word.text for word in reference_words]
    untagged: list[Tag] = ["other"] * len(texts)
    tags = tagger.tags(texts) if tagger.language == language else untagged
    idfs = list(map(idf.within(language), texts))
    priorities = [priority(tag, value, config) for tag, value in zip(tags, idfs, strict=True)]
    prices = costs([word.text for word in words(context, language)], texts, config.shared_cost)
    return tuple(map(WordPlan, reference_words, tags, idfs, priorities, prices))


def merged(words: Sequence[Word], masked: frozenset[Word], gap: int, language: str = ENGLISH) -> list[bool]:
    """Mask runs of at most `gap` function words between two blanks too: stumps that no fill can join."""
    runs = [(blank, list(run)) for blank, run in groupby(words, masked.__contains__)]
    result: list[bool] = []
    for number, (blank, run) in enumerate(runs):
        inside = 0 < number < len(runs) - 1 and len(run) <= gap
        stump = inside and all(is_function_word(word.text, language) for word in run)
        result += [blank or stump] * len(run)
    return result


def blocks(reference: str, reference_words: Sequence[Word], mask: Sequence[bool]) -> tuple[Block, ...]:
    """Cut a reference into runs of masked and unmasked words.

    White space belongs to the word after it, and at the end of the text to the last block.
    """
    if not reference_words:
        return (Block(reference, blank=False),)
    runs = [
        (blank, [word for word, _ in run])
        for blank, run in groupby(zip(reference_words, mask, strict=True), lambda p: p[1])
    ]
    ends = [run[-1].end for _, run in runs]
    ends[-1] = len(reference)
    starts = [0, *ends[:-1]]
    return tuple(
        Block(reference[start:end], blank) for start, end, (blank, _) in zip(starts, ends, runs, strict=True)
    )


# Mask cost: words on the longest common subsequence with the context carry the context and cost more.


def costs(context: Sequence[str], reference: Sequence[str], shared_cost: int) -> list[int]:
    """Return the cost of each word of the reference: ``shared_cost`` on the common subsequence, else 1."""
    shared = common(list(map(fold, context)), list(map(fold, reference)))
    return [shared_cost if index in shared else 1 for index in range(len(reference))]


def fold(word: str) -> str:
    """Two spellings of one word are equal whatever their case, apostrophe or Unicode form."""
    return unicodedata.normalize("NFKC", word.replace("\u2019", "'")).casefold()


def common(context: Sequence[str], reference: Sequence[str]) -> frozenset[int]:
    """Return the places in the reference of a longest common subsequence.

    Of several longest ones, it is the one that takes the earlier word of the reference where two differ.

    Bit-parallel (Hyyrö 2004): a row of the usual table is one integer with a bit a word of the context. So
    each word of the reference takes less than a millisecond and 12 KB for a context of 100,000 words.
    """
    codes = {word: code for code, word in enumerate(dict.fromkeys(reference))}
    kept = np.array([codes[word] for word in reversed(context) if word in codes], dtype=np.int64)
    size = len(kept)
    full = (1 << size) - 1
    # Bit b of matches[w]: the word that has b words of the context after it is w.
    matches = {word: _bits(kept == code) for word, code in codes.items()}

    # Row i, about reference[i:]: of its lowest b bits, the zeros count the subsequence with the last b words.
    rows = [full]
    for word in reversed(reference):
        hits = rows[-1] & matches[word]
        rows.append(((rows[-1] + hits) | (rows[-1] - hits)) & full)
    rows.reverse()

    def length(index: int, last: int) -> int:
        return last - (rows[index] & ((1 << last) - 1)).bit_count()

    # Take a word at its first match in what is left of the context if that still allows the full length.
    places: list[int] = []
    left, missing = size, length(0, size)
    for index, word in enumerate(reference):
        after = (matches[word] & ((1 << left) - 1)).bit_length() - 1
        if after >= 0 and 1 + length(index + 1, after) == missing:
            places.append(index)
            left, missing = after, missing - 1
    return frozenset(places)


def _bits(flags: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


# Which words to mask: the exact 0/1 knapsack of Appendix A.

_SCALE = 1 << 32


def budget(ratio: float, words: int) -> int:
    """Return W_max = floor(lambda N); the small term keeps 0.58 x 50 (28.999... as floats) at 29."""
    return math.floor(ratio * words + 1e-9)


def masks(values: Sequence[float], costs: Sequence[int], budgets: Sequence[int]) -> list[tuple[bool, ...]]:
    """Return for each budget the mask of the highest total value whose total cost does not exceed it.

    Of equally good masks it is the one that keeps the earliest word on which they differ.

    One table, of the largest budget, serves all budgets. It is Appendix A's, filled from the last word to the
    first, so that reading it back decides on the words from left to right and breaks ties as said.
    """
    worths = whole(values)
    most = min(max(budgets, default=0), sum(costs))
    best = np.zeros(most + 1, dtype=np.int64)  # best[w]: the highest total of the words so far at budget w
    taken = np.zeros((len(worths), most // 8 + 1), dtype=np.uint8)  # whether a word is masked at w, in bits
    for index in reversed(range(len(worths))):
        cost = costs[index]
        if cost <= most:
            masked = best[: most + 1 - cost] + worths[index]
            better = np.zeros(most + 1, dtype=np.bool_)
            better[cost:] = masked > best[cost:]
            taken[index] = np.packbits(better, bitorder="little")
            best[cost:] = np.maximum(best[cost:], masked)
    return [_read_back(taken, costs, min(limit, most)) for limit in budgets]


def whole(values: Sequence[float]) -> list[int]:
    """Return the values as integers, in parts of the largest one.

    Sums of floats depend on their order, so that rounding would distinguish two masks of equal worth (the same
    word in two places). Sums of integers do not, and 64 bits hold the sum of two billion words.
    """
    largest = max(values, default=0.0)
    return [round(value / largest * _SCALE) if largest > 0 else 0 for value in values]


def _read_back(
    taken: np.ndarray[tuple[int, int], np.dtype[np.uint8]], costs: Sequence[int], left: int
) -> tuple[bool, ...]:
    mask = []
    for row, cost in zip(taken, costs, strict=True):
        masked = bool(row[left // 8] >> (left % 8) & 1)
        left -= cost * masked
        mask.append(masked)
    return tuple(mask)
