"""Negation: each rule, and the verb forms that it needs."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.study.attacks.negation import negate, past_base, third_person_base
from tests.study.attacks.rows import WORDS, example


def negated(text: str) -> str | None:
    return negate(example(text), Random(0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A negation goes.
        ("He did not go home.", "He did go home."),
        ("He didn't go.", "He did go."),
        ("He didn\u2019t go.", "He did go."),
        ("i did n't go .", "i did go ."),
        ("She can't swim.", "She can swim."),
        ("Won't they come?", "Will they come?"),
        ("We cannot stay.", "We can stay."),
        ("It's not late.", "It's late."),
        ("They never came.", "They came."),
        ("Don't go.", "Do go."),
        # An auxiliary gets one.
        ("He was late.", "He was not late."),
        ("Her engine was smoking.", "Her engine was not smoking."),
        ("You should go.", "You should not go."),
        ("She's late.", "She's not late."),
        ("it 's late .", "it 's not late ."),
        ("They'll come.", "They'll not come."),
        ("He has seen it.", "He has not seen it."),
        ("He has already left.", "He has not already left."),
        ("They did.", "They did not."),
        ("The will of the people was clear.", "The will of the people was not clear."),
        # Another verb gets "do".
        ("She called for help.", "She did not call for help."),
        ("The car stopped.", "The car did not stop."),
        ("Tom quickly ran home.", "Tom did not quickly run home."),
        ("[MALE] smelled smoke .", "[MALE] did not smell smoke ."),
        ("They like fish.", "They do not like fish."),
        ("It makes noise.", "It does not make noise."),
        ("He has a dog.", "He does not have a dog."),
        ("They had to leave.", "They did not have to leave."),
        ("He did his homework.", "He did not do his homework."),
        ("One day, a man came.", "One day, a man did not come."),
        # Answers.
        ("Yes.", "No."),
        ("no", "yes"),
        ("Yes, they did.", "No, they did not."),
        ("no he didn't", "yes he did"),
        # Each sentence by itself, and the rest as it was.
        ("He ran.  She was late.\nWhy?", "He did not run.  She was not late.\nWhy?"),
    ],
)
def test_sentences(text: str, expected: str) -> None:
    assert negated(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Soup and bread.",
        "The red bed.",
        "No one.",
        "Not only that.",
        "in the house",
        "Nobody knew.",
        "Neither does my cat.",
    ],
)
def test_sentences_that_no_rule_fits(text: str) -> None:
    assert negated(text) is None


@pytest.mark.parametrize("verb", ["was", "were", "can", "should", "must", "is"])
def test_negation_with_an_auxiliary_is_its_own_opposite(verb: str) -> None:
    text = f"The dogs {verb} in the garden."
    once = negated(text)
    assert once is not None
    assert once != text
    assert negated(once) == text


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([*WORDS, "and", "it", "had", "been", "never", "Yes,"]), max_size=15).map(
        " ".join
    )
)
def test_only_a_few_words_of_a_sentence_change(text: str) -> None:
    result = negated(text)
    if result is not None:
        assert result != text
        # A sentence gains "did not" at most, and its answer and its verb change.
        sentences = text.count(".") + text.count("…") + 1
        assert abs(len(result.split()) - len(text.split())) <= 2 * sentences


PASTS = """
walked:walk liked:like hoped:hope hopped:hop stopped:stop tried:try died:die played:play cared:care noted:note
used:use added:add called:call passed:pass travelled:travel controlled:control visited:visit decided:decide
danced:dance changed:change belonged:belong looked:look needed:need planned:plan breathed:breathe went:go saw:see
read:read agreed:None hundred:None red:None xqzed:None
"""
THIRD_PERSONS = """
walks:walk tries:try goes:go washes:wash makes:make lies:lie us:None this:None pass:None
"""


@pytest.mark.parametrize(("past", "base"), [pair.split(":") for pair in PASTS.split()])
def test_past_forms(past: str, base: str) -> None:
    # "agreed" ends as "speed" does, and is left alone.
    assert str(past_base(past)) == base


@pytest.mark.parametrize(("form", "base"), [pair.split(":") for pair in THIRD_PERSONS.split()])
def test_third_persons(form: str, base: str) -> None:
    assert str(third_person_base(form)) == base
