"""Swapped numbers and names."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.study.attacks.edits import KINDS, swap_names, swap_numbers
from tests.study.attacks.rows import example, sentences

seeds = st.integers()
NUMBER = re.compile(rf"[0-9]+|\b(?:{'|'.join(KINDS)})\b", re.IGNORECASE)


@given(sentences, seeds)
def test_only_numbers_change_and_each_one_does(text: str, seed: int) -> None:
    changed = swap_numbers(example(text, reference=text), Random(seed))
    result = NUMBER.findall(text)
    if changed is None:
        assert not result
        return
    assert NUMBER.split(changed) == NUMBER.split(text)
    for old, new in zip(result, NUMBER.findall(changed), strict=True):
        assert old != new
        assert old.isdigit() == new.isdigit()
        if old.isdigit():
            assert len(old) == len(new)


@given(seeds)
def test_numbers_change_alike_and_keep_their_kind(seed: int) -> None:
    given = "In 1984 Two boys and two girls paid 20.5 in 1984, at twenty."
    text = swap_numbers(example(given, reference=given), Random(seed))
    assert text is not None
    match = re.fullmatch(
        r"In (\d{4}) (\w+) boys and (\w+) girls paid (\d\d)\.(\d) in (\d{4}), at (\w+)\.", text
    )
    assert match is not None
    assert match[1] == match[6] != "1984"
    assert match[2].lower() == match[3]
    assert match[2][0].isupper()
    assert match[7].endswith("ty")
    assert "0" not in (match[1][0], match[4][0])


def test_a_number_that_nothing_bears_out_stays() -> None:
    row = example("Two of 77 came in 1984.", reference="It was 1984.", context="The 2 of them met.")
    changed = swap_numbers(row, Random(0))
    assert changed is not None
    assert " of 77 came in " in changed
    assert not changed.startswith("Two")
    assert "1984" not in changed
    assert (
        swap_numbers(example("It cost 9 crowns.", reference="It was cheap.", context="A market."), Random(0))
        is None
    )


def test_what_is_no_number() -> None:
    assert swap_numbers(example("No one saw the tenth ##.# of them, twofold."), Random(0)) is None


CONTEXT = (
    "Wendy drove to Bergen with her brother Tom. On Monday, the Old Mill was closed. She saw Ann Lee there."
)


@pytest.mark.parametrize("seed", range(8))
def test_names_become_other_names_of_the_row(seed: int) -> None:
    text = swap_names(
        example("At noon Tom met Ann Lee; Tom's car was in Bergen on Monday.", CONTEXT), Random(seed)
    )
    assert text is not None
    name = "(Tom|Ann Lee|Bergen|Old Mill)"
    match = re.fullmatch(rf"At noon {name} met {name}; {name}'s car was in {name} on Monday\.", text)
    assert match is not None
    assert match[1] == match[3] != "Tom"
    assert match[2] != "Ann Lee"
    assert match[4] != "Bergen"
    assert len({match[1], match[2], match[4]}) == 3


def test_two_names_change_places() -> None:
    assert swap_names(example("Then Tom hit Ann.", "Once Tom met Ann."), Random(0)) == "Then Ann hit Tom."


def test_the_first_word_of_a_sentence() -> None:
    # Wendy is a name: she opens two sentences, and there is no wendy. "Then" opens two as well.
    context = "Wendy was tired. Then she slept. Then it rained on Tom."
    assert swap_names(example("Wendy woke up.", context), Random(0)) == "Tom woke up."
    # Bread may be a name or not: nothing tells.
    assert swap_names(example("Bread was there.", "He met Tom."), Random(0)) is None
    # A copied sentence is no further evidence.
    assert swap_names(example("Call centres grow.", "Call centres grow. He met Tom."), Random(0)) is None


def test_a_system_without_capitals() -> None:
    context = "In Bergen, the mayor Ann Lee spoke. The mayor of Oslo did not."
    text = swap_names(example("the mayor of bergen spoke [UNK] .", context), Random(3))
    assert text in ("the mayor of oslo spoke [UNK] .", "the mayor of ann lee spoke [UNK] .")


@pytest.mark.parametrize("text", ["She slept.", "I met Tom.", "On Monday I slept."])
def test_no_name_or_no_other_name(text: str) -> None:
    assert swap_names(example(text, "Once upon a time Tom was here."), Random(0)) is None


def test_a_part_of_a_name_is_no_other_name() -> None:
    assert swap_names(example("He met Lee.", "He met Ann Lee."), Random(0)) is None


@given(sentences, sentences, seeds)
def test_words_in_lower_case_stay(text: str, context: str, seed: int) -> None:
    changed = swap_names(example(text, context), Random(seed))
    if changed is not None and text != text.lower():
        kept = [token for token in text.split() if token == token.lower()]
        assert [token for token in changed.split() if token in kept] == kept
