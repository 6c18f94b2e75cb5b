"""Truncation, repetition, copies and unrelated candidates."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.io.datasets.base import Rated
from mars_score.study.attacks.base import passage, sentence_spans
from mars_score.study.attacks.edits import (
    copy_context,
    copy_reference,
    echo_prompt,
    list_keywords,
    refuse,
    repeat,
    truncate,
    unrelated,
)
from mars_score.text.words import sentences as split
from mars_score.types import Example
from tests.study.attacks.rows import example, examples, spaced_examples

seeds = st.integers()


@given(spaced_examples())
def test_truncation_keeps_the_first_half(row: Example) -> None:
    text, tokens = truncate(row, Random(0)), row.candidate.split()
    if text is None:
        assert len(tokens) < 2
    else:
        assert row.candidate.startswith(text)
        assert text.split() == tokens[: (len(tokens) + 1) // 2]


@given(spaced_examples(), seeds)
def test_repetition_only_adds_what_is_there(row: Example, seed: int) -> None:
    text = repeat(row, Random(seed))
    if text is None:
        assert not row.candidate.split()
        return
    old, new = row.candidate.split(), text.split()
    added = len(new) - len(old)
    assert 0 < added <= len(old)
    # One run of tokens is there twice in a row, and without it the text is the old one.
    assert any(
        new[:i] + new[i + added :] == old and new[i : i + added] == new[i + added : i + 2 * added]
        for i in range(len(old) + 1 - added)
    )


def test_repetition() -> None:
    results = {repeat(example("A b. C d.\nE f."), Random(seed)) for seed in range(40)}
    assert results == {"A b. A b. C d.\nE f.", "A b. C d. C d.\nE f.", "A b. C d.\nE f. E f."}
    assert repeat(example(" one two three "), Random(0)) == " one two one two three "


def test_copied_references() -> None:
    row = Example("1", "a", ("b", "c", "b"))
    assert {copy_reference(row, Random(seed)) for seed in range(20)} == {"b", "c"}


@pytest.mark.parametrize(
    ("context", "expected"),
    [("One two  three four.", "One two  three"), ("One.", "One."), ("", None), (" ", None)],
)
def test_as_much_context_is_copied_as_a_reference_is_long(context: str, expected: str | None) -> None:
    row = Example("1", "a", ("b", "b c d"), f"{context}\nWho?", "Who?")
    assert copy_context(row, Random(0)) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (Example("1", "a", ("b",), "It rained. Who came?", "Who came?"), "Who came?"),
        (Example("1", "a", ("b",), "It rained. Nobody came."), "Nobody came."),
        (Example("1", "a", ("b",)), None),
    ],
)
def test_what_was_asked_is_said_again(row: Example, expected: str | None) -> None:
    assert echo_prompt(row, Random(0)) == expected


def test_a_refusal_is_the_same_for_every_row() -> None:
    assert refuse(example("a"), Random(0)) == refuse(example("b", "c"), Random(1)) != ""


@pytest.mark.parametrize(
    ("reference", "expected"),
    [("The ferry left, and the ferry sank.", "ferry, left, sank"), ("And so they are!", None)],
)
def test_keywords_say_nothing(reference: str, expected: str | None) -> None:
    assert list_keywords(Example("1", "a", (reference,)), Random(0)) == expected


@given(examples())
def test_a_passage_is_the_context_without_its_question(row: Example) -> None:
    result = passage(row)
    assert row.context.strip().startswith(result)
    assert row.context.split() == [*result.split(), *row.question.split()] or not row.question.strip()


@given(examples())
def test_sentences_are_found_where_they_are(row: Example) -> None:
    assert [row.candidate[start:end] for start, end in sentence_spans(row.candidate)] == split(row.candidate)


def rated(number: int, candidate: str, context: str, system: str = "a", question: str = "") -> Rated:
    row = dataclasses.replace(example(candidate, context, question=question), id=str(number))
    return Rated(row, 1.0, system)


def test_unrelated_candidates_are_of_the_same_system_and_another_passage() -> None:
    rows = [
        rated(1, "own", "here", question="who?"),
        rated(2, "same passage", "here", question="why?"),
        rated(3, "same item", "here", question="who?"),
        rated(4, "another system", "there", "b"),
        rated(5, "far", "there"),
        rated(6, "farther", "elsewhere"),
        rated(7, "own", "somewhere"),
        rated(8, " ", "nowhere"),
    ]
    drawn = {unrelated(rows)(rows[0].example, Random(seed)) for seed in range(40)}
    assert drawn == {"far", "farther"}
    assert unrelated(rows)(rows[3].example, Random(0)) is None


def test_without_passages_another_question_will_do() -> None:
    rows = [rated(1, "one", "", question="who?"), rated(2, "two", "", question="why?")]
    assert unrelated(rows)(rows[0].example, Random(0)) == "two"
