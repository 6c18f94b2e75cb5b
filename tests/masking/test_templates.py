from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.config import MaskingConfig
from mars_score.masking.templates import budget, explain_words, make_templates, merged
from mars_score.text.frequency import BackgroundIdf, CorpusIdf, Idf
from mars_score.text.words import is_punctuation, words
from mars_score.types import Block, Template

if TYPE_CHECKING:
    from mars_score.masking.tagging import SpacyTagger, Tagger

CONTEXT = (
    "Wendy was driving down the road. She heard her car making a noise. She pulled over to examine the "
    "problem. There was nothing but oil all on the road from her car."
)
REFERENCE = "She called for help and waited to get her car fixed."
CONFIG = MaskingConfig(ratios=(0.05, 0.2, 0.4, 0.6, 1.0), keep_words=0)


def test_the_papers_example(spacy_tagger: SpacyTagger, background: Idf) -> None:
    templates = make_templates(CONTEXT, REFERENCE, MaskingConfig(), spacy_tagger, background)
    assert [str(template) for template in templates] == [
        "She called [_] help [_] waited to get her car fixed.",
        "She called [___] waited to [_] her car fixed.",
        "She [____] waited to [_] her car [_].",
    ]
    assert [template.ratio for template in templates] == [0.2, 0.4, 0.6]


def test_explains_each_word(spacy_tagger: SpacyTagger, background: Idf) -> None:
    plans = {
        plan.word.text: plan for plan in explain_words(CONTEXT, REFERENCE, CONFIG, spacy_tagger, background)
    }
    assert list(plans) == [
        "She",
        "called",
        "for",
        "help",
        "and",
        "waited",
        "to",
        "get",
        "her",
        "car",
        "fixed",
        ".",
    ]
    assert (plans["car"].tag, plans["car"].cost) == ("noun", 10)
    assert plans["car"].priority == 2 / plans["car"].idf == 2 / background("car")
    assert plans["help"].cost == 1


def test_blanks_take_the_space_before_their_words(length_tagger: Tagger, background: Idf) -> None:
    config = MaskingConfig(ratios=(0.5,), keep_words=0)
    (template,) = make_templates("", "  zeugma the\n the  zeugma \n", config, length_tagger, background)
    assert template.blocks == (
        Block("  zeugma", blank=False),
        Block(" the\n the", blank=True),
        Block("  zeugma \n", blank=False),
    )


@pytest.mark.parametrize("reference", ["", " \n", "word", ".", "?!", "\ud800"])
def test_short_references(reference: str, spacy_tagger: SpacyTagger, background: Idf) -> None:
    templates = make_templates(CONTEXT, reference, CONFIG, spacy_tagger, background)
    assert all(template.source == reference for template in templates)
    assert templates[0] == Template(0.05, (Block(reference, blank=False),))


@given(st.text(max_size=60), st.text(max_size=60) | st.text("the old dog. \n", max_size=60), st.booleans())
def test_templates_rebuild_the_reference(
    length_tagger: Tagger, background: Idf, context: str, reference: str, marks: bool
) -> None:
    for gaps in (0, 2):
        config = replace(CONFIG, marks=marks, merge_gaps=gaps)
        templates = make_templates(context, reference, config, length_tagger, background)
        assert [template.ratio for template in templates] == list(config.ratios)
        for template in templates:
            assert template.source == reference
            assert all(
                ours.blank != theirs.blank
                for ours, theirs in zip(template.blocks, template.blocks[1:], strict=False)
            )


@given(st.text(max_size=60), st.text(max_size=60) | st.text("the old dog. \n", max_size=60), st.booleans())
def test_the_budget_pays_for_what_is_masked(
    length_tagger: Tagger, background: Idf, context: str, reference: str, marks: bool
) -> None:
    """But for the one word more that tells a template from the one before."""
    config = replace(CONFIG, marks=marks, merge_gaps=0)
    plans = explain_words(context, reference, config, length_tagger, background)
    cost = {plan.word.start: plan.cost for plan in plans if marks or not is_punctuation(plan.word.text)}
    before: set[int] = set()
    for template in make_templates(context, reference, config, length_tagger, background):
        starts = masked_places(template) & {plan.word.start for plan in plans}
        assert starts <= set(cost), "a mark is masked only if asked"
        paid = sum(cost[start] for start in starts) <= budget(template.ratio, len(cost))
        assert paid or (before <= starts and len(starts - before) <= 1)
        before = starts


def test_one_shared_word_is_masked_when_the_budget_cannot_pay(length_tagger: Tagger, background: Idf) -> None:
    (template,) = make_templates(
        REFERENCE, REFERENCE, MaskingConfig(ratios=(0.6,), keep_words=0), length_tagger, background
    )
    assert template.blanks == 1
    cheap = MaskingConfig(ratios=(1.0,), shared_cost=1, marks=True, keep_words=0)
    (template,) = make_templates(REFERENCE, REFERENCE, cheap, length_tagger, background)
    assert template.blocks == (Block(REFERENCE, blank=True),)


def test_the_corpus_changes_what_is_masked(length_tagger: Tagger) -> None:
    config = MaskingConfig(ratios=(0.5,), keep_words=0)
    seen = [
        str(make_templates("", "abcd efgh", config, length_tagger, CorpusIdf([word, word, "x"]))[0])
        for word in ("abcd", "efgh")
    ]
    assert seen == ["[_] efgh", "abcd [_]"]


DETERMINISM = """
import sys
from mars_score.config import MaskingConfig
from mars_score.masking import BackgroundIdf, CorpusIdf, PatternTagger, make_templates
context, reference = sys.argv[1:]
for idf in (BackgroundIdf(), CorpusIdf([context, reference])):
    print(make_templates(context, reference, MaskingConfig(), PatternTagger(), idf), idf.name)
"""


def test_another_process_makes_the_same_templates() -> None:
    def run(seed: str) -> str:
        command = [sys.executable, "-c", DETERMINISM, CONTEXT, REFERENCE]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    assert run("1") == run("2") != ""
    assert BackgroundIdf().name in run("3")


def blanks(text: str, *masked: str, gap: int) -> list[str]:
    """The words of a text that are masked in the end."""
    found = words(text)
    mask = merged(found, frozenset(word for word in found if word.text in masked), gap)
    return [word.text for word, blank in zip(found, mask, strict=True) if blank]


def test_function_words_between_blanks_are_masked_too() -> None:
    text = "She waited for the bus in rain"
    assert blanks(text, "waited", "bus", gap=0) == ["waited", "bus"]
    assert blanks(text, "waited", "bus", gap=1) == ["waited", "bus"], "two words are left between them"
    assert blanks(text, "waited", "bus", gap=2) == ["waited", "for", "the", "bus"]
    assert blanks(text, "bus", "rain", gap=1) == ["bus", "in", "rain"]
    assert merged([], frozenset(), 3) == []


def test_content_words_and_marks_between_blanks_stay() -> None:
    assert blanks("old dog barked", "old", "barked", gap=1) == ["old", "barked"]
    assert blanks("barked, twice", "barked", "twice", gap=1) == ["barked", "twice"]
    assert blanks("barked the dog twice", "barked", "twice", gap=2) == ["barked", "twice"]


def test_what_lies_outside_the_blanks_stays() -> None:
    assert blanks("the dog barked at", "dog", "barked", gap=2) == ["dog", "barked"]
    assert blanks("the dog at", gap=2) == []


def test_marks_are_masked_only_if_asked(length_tagger: Tagger, background: Idf) -> None:
    text = "Stop (now), or (later)!"
    kept, masked = (
        make_templates(
            "", text, MaskingConfig(ratios=(1.0,), marks=marks, keep_words=0), length_tagger, background
        )[0]
        for marks in (False, True)
    )
    assert [block.text for block in kept.blocks if not block.blank] == [" (", "),", " (", ")!"]
    assert masked.blocks == (Block(text, blank=True),)
    (template,) = make_templates("", "?! ...", MaskingConfig(ratios=(1.0,)), length_tagger, background)
    assert template.blanks == 0


def test_marks_that_stay_do_not_count_for_the_ratio(length_tagger: Tagger, background: Idf) -> None:
    (template,) = make_templates(
        "", "zeugma, the!?!?!?", MaskingConfig(ratios=(0.5,), keep_words=0), length_tagger, background
    )
    assert str(template) == "zeugma, [_]!?!?!?"


def test_a_higher_ratio_masks_one_word_more_where_it_would_mask_the_same(
    length_tagger: Tagger, background: Idf
) -> None:
    """All words but two stand in the context, and cost more than the budgets of all ratios."""
    config = MaskingConfig(ratios=(0.2, 0.4, 0.6), merge_gaps=0)
    context, reference = "a goat ate hay near my barn today", "a goat ate oats near my barn yesterday"
    templates = make_templates(context, reference, config, length_tagger, background)
    masked = [frozenset(block.text for block in one.blocks if block.blank) for one in templates]
    assert len(set(masked)) == 3
    assert {" oats", " yesterday"} & masked[0], "what is cheap comes first"
    for smaller, larger in pairwise(templates):
        assert masked_places(smaller) < masked_places(larger)


def masked_places(template: Template) -> set[int]:
    """The characters that lie inside a blank."""
    inside = [block.blank for block in template.blocks for _ in block.text]
    return {place for place, blank in enumerate(inside) if blank}


def test_where_the_budget_pays_for_nothing_each_ratio_masks_one_word_more(
    length_tagger: Tagger, background: Idf
) -> None:
    config = MaskingConfig(ratios=(0.1, 0.2, 0.4), shared_cost=100)
    templates = make_templates(REFERENCE, REFERENCE, config, length_tagger, background)
    masked = [sum(len(block.text.split()) for block in each.blocks if block.blank) for each in templates]
    assert masked == [1, 2, 3]


def test_what_is_left_of_a_reference_still_says_something(length_tagger: Tagger, background: Idf) -> None:
    """A ratio that would leave less than three words masks nothing; marks are no words."""
    for reference, masked in (("zeugma the oats.", [0, 0, 0]), ("zeugma the oats near, by.", [1, 1, 0])):
        templates = make_templates("", reference, MaskingConfig(), length_tagger, background)
        assert [int(template.blanks > 0) for template in templates] == masked
        assert all(template.source == reference for template in templates)


def test_the_last_word_is_never_added(length_tagger: Tagger, background: Idf) -> None:
    config = MaskingConfig(ratios=(0.5, 0.6, 0.7), merge_gaps=0, keep_words=0)
    templates = make_templates("", "zeugma the", config, length_tagger, background)
    assert [str(template) for template in templates] == ["zeugma [_]"] * 3
