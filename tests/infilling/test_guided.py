"""From text to text: what survives, what is never written, and what happens at the edges."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mars_score.config import InfillingConfig
from mars_score.infilling.decoder.engine import DecodingEngine
from mars_score.infilling.guided import GuidedInfiller, _distinct, _needs_break
from mars_score.types import AugmentedReference, Block, InfillingRequest, Template

from .cases import FERRY, REQUESTS, template

if TYPE_CHECKING:
    from mars_score.lm.causal import LanguageModel

CONFIGS = {
    "default": InfillingConfig(search="greedy"),
    "planned hard": InfillingConfig(search="greedy", eta=0.2, compare_unplanned=False),
    "sampled": InfillingConfig(search="greedy", temperature=1.5, samples=2),
    "repeats allowed": InfillingConfig(search="greedy", no_repeat=False),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_text_blocks_survive_and_fills_are_clean(name: str, tiny: LanguageModel) -> None:
    config = CONFIGS[name]
    for request, answer in zip(REQUESTS, GuidedInfiller(tiny, config).fill(REQUESTS), strict=True):
        assert len(answer.augmented) == len(request.templates) * config.samples
        for augmented in answer.augmented:
            kept = [block.text for block in augmented.template.blocks if not block.blank]
            assert [block.text for block in augmented.segments if not block.blank] == kept
            assert len(augmented.fills) == augmented.template.blanks
            for fill, blank in zip(
                augmented.fills, [block for block in augmented.template.blocks if block.blank], strict=True
            ):
                assert fill
                assert fill.isprintable()
                assert "<|" not in fill
                size = len(tiny.encode(blank.text))
                assert len(tiny.encode(fill)) <= 4 * (size + config.sigma)


def test_fills_never_grow_the_word_before(tiny: LanguageModel) -> None:
    config = InfillingConfig(search="greedy", eta=0.2, compare_unplanned=False)
    for answer in GuidedInfiller(tiny, config).fill(REQUESTS):
        for augmented in answer.augmented:
            segments = augmented.segments
            for before, fill in itertools.pairwise(segments):
                if fill.blank and before.text[-1:].isalnum():
                    assert not fill.text[:1].isalnum()


@pytest.mark.parametrize(
    ("before", "blank", "asked"),
    [
        ("called", " for", True),
        ("called", ",", True),
        ("(", "word", False),
        ("天", "气", False),
        ("", "She", False),
    ],
)
def test_where_a_break_is_asked_for(before: str, blank: str, asked: bool) -> None:
    assert _needs_break(before, blank) is asked


def test_no_blank_is_the_reference(tiny: LanguageModel) -> None:
    (answer,) = GuidedInfiller(tiny, InfillingConfig(search="greedy")).fill(
        [InfillingRequest(FERRY, (template("As it was."),))]
    )
    assert answer.augmented[0].text == "As it was."
    assert answer.augmented[0].fills == ()


def test_long_contexts_are_cut_at_the_tail_but_keep_the_question(tiny: LanguageModel) -> None:
    question = "Who rang the bell?"
    passage = "The ferry left the island late. " * 60
    one = template("The captain[ rang] the bell.")
    infiller = GuidedInfiller(tiny, InfillingConfig(search="greedy", max_context=40))
    context, cut = infiller._context(InfillingRequest(f"{passage}\n{question}", (one,), question))
    tail = [*tiny.encode(f"\n{question}"), *tiny.encode("\n")]
    assert cut
    assert len(context) == 41
    assert list(context[-len(tail) :]) == tail
    assert list(context[1:10]) == tiny.encode(passage)[:9]
    short, whole = infiller._context(InfillingRequest("The ferry left.", (one,)))
    assert not whole
    assert list(short[1:]) == tiny.encode("The ferry left.")
    assert infiller.fill([InfillingRequest(passage, (one,))])[0].context_truncated


def test_context_leaves_room_for_the_template(tiny: LanguageModel) -> None:
    """The models hold 256 positions; context and template share them."""
    infiller = GuidedInfiller(tiny, InfillingConfig(search="greedy", max_context=5000))
    one = template("The captain[ rang] the bell.")
    (answer,) = infiller.fill([InfillingRequest("The ferry left the island late. " * 300, (one,))])
    assert answer.context_truncated
    job = infiller._job((), one, 0)
    context, _ = infiller._context(InfillingRequest("The ferry left the island late. " * 300, (one,)))
    assert len(context) + infiller.engine.columns(job) <= tiny.max_positions


def test_without_context_nothing_of_it_is_read(tiny: LanguageModel) -> None:
    config = InfillingConfig(search="greedy", context=False)
    one = template("The captain[ rang] the bell.")
    with_context, without = GuidedInfiller(tiny, config).fill(
        [InfillingRequest(FERRY, (one,)), InfillingRequest("", (one,))]
    )
    assert with_context.augmented == without.augmented


def test_samples_have_seeds_of_their_own(tiny: LanguageModel) -> None:
    config = InfillingConfig(search="greedy", temperature=1.0, samples=3, seed=1)
    (first, *_) = GuidedInfiller(tiny, config).fill(REQUESTS)
    (alone,) = GuidedInfiller(tiny, config, DecodingEngine(tiny, config, max_rows=1)).fill(REQUESTS[:1])
    assert first.augmented == alone.augmented
    assert len({one.text for one in first.augmented}) > len(REQUESTS[0].templates)
    other = InfillingConfig(search="greedy", temperature=1.0, samples=3, seed=2)
    assert GuidedInfiller(tiny, other).fill(REQUESTS[:1])[0].augmented != first.augmented


def variants(ratio: float, *fills: str) -> list[AugmentedReference]:
    one = Template(ratio, (Block("The", blank=False), Block(" dog barked.", blank=True)))
    return [AugmentedReference(one, (f" {fill}.",)) for fill in fills]


@pytest.mark.parametrize(
    ("good", "poor", "expected"),
    [
        # each its own best
        ([["ran", "slept"], ["hid", "ate"]], [[], []], ["ran", "hid"]),
        # the next best where another has the best
        ([["ran", "slept"], ["ran", "ate"]], [[], []], ["ran", "ate"]),
        # one of the next ratio's, which has its own choice first
        ([[], ["hid", "ate"]], [["flew"], []], ["ate", "hid"]),
        ([["a", "b"], [], ["c", "d"]], [[], [], []], ["a", "b", "c"]),
        # a poor one for want of another
        ([[], ["hid"]], [["flew"], []], ["flew", "hid"]),
        # what is there already, for want of any
        ([["ran"], ["ran"]], [[], []], ["ran", "ran"]),
        # never the reference
        ([["dog barked", "ran"]], [[]], ["ran"]),
    ],
)
def test_texts_of_a_reference_differ(
    good: list[list[str]], poor: list[list[str]], expected: list[str]
) -> None:
    chosen = _distinct(
        [variants(0.2 * place, *fills) for place, fills in enumerate(good, 1)],
        [variants(0.2 * place, *fills) for place, fills in enumerate(poor, 1)],
        {"The dog barked."},
    )
    assert [one.text for one in chosen] == [f"The {fill}." for fill in expected]


def test_a_ratio_that_masks_nothing_takes_a_text_of_another(tiny: LanguageModel) -> None:
    whole = Template(0.4, (Block("The captain slowed down.", blank=False),))
    masked = replace(template("The captain[ slowed] down."), ratio=0.2)
    (answer,) = GuidedInfiller(tiny, InfillingConfig()).fill([InfillingRequest(FERRY, (masked, whole))])
    texts = [one.text for one in answer.augmented]
    assert [one.ratio for one in answer.augmented] == [0.2, 0.4]
    assert len({*texts, "The captain slowed down."}) == 3
