from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.config import MaskingConfig
from mars_score.masking.knapsack import budget
from mars_score.masking.templates import explain_words, make_templates, merged
from mars_score.text.frequency import BackgroundIdf, CorpusIdf, Idf
from mars_score.types import Block, Template

if TYPE_CHECKING:
    from mars_score.masking.tagging import SpacyTagger, Tagger

CONTEXT = (
    "Wendy was driving down the road. She heard her car making a noise. She pulled over to examine the "
    "problem. There was nothing but oil all on the road from her car."
)
REFERENCE = "She called for help and waited to get her car fixed."
CONFIG = MaskingConfig(ratios=(0.05, 0.2, 0.4, 0.6, 1.0))


def test_the_papers_example(spacy_tagger: SpacyTagger, background: Idf) -> None:
    templates = make_templates(CONTEXT, REFERENCE, MaskingConfig(), spacy_tagger, background)
    assert [str(template) for template in templates] == [
        "She called [_] help [_] waited to get her car fixed.",
        "She called [___] waited to [_] her car fixed.",
        "She [_____] to [_] her car [_].",
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
    config = MaskingConfig(ratios=(0.5,))
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


@given(st.text(max_size=60), st.text(max_size=60) | st.text("the old dog. \n", max_size=60))
def test_templates_rebuild_the_reference(
    length_tagger: Tagger, background: Idf, context: str, reference: str
) -> None:
    templates = make_templates(context, reference, CONFIG, length_tagger, background)
    plans = explain_words(context, reference, CONFIG, length_tagger, background)
    assert [template.ratio for template in templates] == list(CONFIG.ratios)
    for template in templates:
        assert template.source == reference
        assert all(
            ours.blank != theirs.blank
            for ours, theirs in zip(template.blocks, template.blocks[1:], strict=False)
        )
        assert cost_of(template, [(plan.word.start, plan.cost) for plan in plans]) <= budget(
            template.ratio, len(plans)
        )


def cost_of(template: Template, costs: list[tuple[int, int]]) -> int:
    """The total cost of the words that start inside a blank."""
    blank = [block.blank for block in template.blocks for _ in block.text]
    return sum(cost for start, cost in costs if blank[start])


def test_shared_words_are_kept_when_the_budget_cannot_pay(length_tagger: Tagger, background: Idf) -> None:
    (template,) = make_templates(
        REFERENCE, REFERENCE, MaskingConfig(ratios=(0.6,)), length_tagger, background
    )
    assert template.blanks == 0
    cheap = MaskingConfig(ratios=(1.0,), shared_cost=1)
    (template,) = make_templates(REFERENCE, REFERENCE, cheap, length_tagger, background)
    assert template.blocks == (Block(REFERENCE, blank=True),)


def test_the_corpus_changes_what_is_masked(length_tagger: Tagger) -> None:
    config = MaskingConfig(ratios=(0.5,))
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


def test_stumps_between_blanks_are_masked_too_if_asked() -> None:
    mask = [False, True, False, True, False, False, True, False]
    assert merged(mask, 0) == mask
    assert merged(mask, 1) == [False, True, True, True, False, False, True, False]
    assert merged(mask, 2) == [False, *[True] * 6, False]
    assert merged([], 3) == []
