"""Reorder and Retrieve, as Table 4 words them."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from mars_score.study.attacks.base import passage
from mars_score.study.attacks.edits import reorder, retrieve
from mars_score.text.words import sentences
from tests.study.attacks.rows import CONTEXT, example, examples, spaced_examples

if TYPE_CHECKING:
    from mars_score.types import Example

seeds = st.integers()
distinct = st.lists(st.text("abc\u00e9.,", min_size=1), min_size=2, max_size=30, unique=True)


@given(spaced_examples(), seeds)
def test_reordering_keeps_the_tokens_and_the_white_space(row: Example, seed: int) -> None:
    text = reorder(row, Random(seed))
    if text is None:
        assert len(set(row.candidate.split())) < 2
        return
    assert Counter(text.split()) == Counter(row.candidate.split())
    assert text.split() != row.candidate.split()
    assert [c for c in text if c.isspace()] == [c for c in row.candidate if c.isspace()]


def test_texts_without_spaces_are_reordered_by_character() -> None:
    text = reorder(example("\u59d0\u59d0\u517b\u4e86\u5c71\u7f8a"), Random(0))
    assert text is not None
    assert text != "\u59d0\u59d0\u517b\u4e86\u5c71\u7f8a"
    assert Counter(text) == Counter("\u59d0\u59d0\u517b\u4e86\u5c71\u7f8a")


@given(distinct, seeds)
def test_half_of_the_tokens_move(tokens: list[str], seed: int) -> None:
    text = reorder(example(" ".join(tokens)), Random(seed))
    assert text is not None
    moved = sum(old != new for old, new in zip(tokens, text.split(), strict=True))
    assert moved == max(2, (len(tokens) + 1) // 2)


@given(examples(), seeds)
def test_reordering_follows_from_the_seed(row: Example, seed: int) -> None:
    assert reorder(row, Random(seed)) == reorder(row, Random(seed))


def test_every_token_may_move() -> None:
    tokens = ["her", "fears", "were", "confirmed", "when", "her", "engine", "stopped"]
    texts = [reorder(example(" ".join(tokens)), Random(seed)) for seed in range(50)]
    moved = {
        index for text in texts if text for index, new in enumerate(text.split()) if new != tokens[index]
    }
    assert moved == set(range(len(tokens)))


def test_equal_tokens_are_passed_over() -> None:
    assert all(reorder(example("very very very very good"), Random(seed)) is not None for seed in range(50))
    assert reorder(example("so so so"), Random(0)) is None
    assert reorder(example("alone"), Random(0)) is None


@given(examples(), seeds)
def test_what_is_retrieved_is_a_sentence_of_the_context(row: Example, seed: int) -> None:
    text = retrieve(row, Random(seed))
    if text is not None:
        assert text in sentences(passage(row))
        assert text != row.candidate.strip()


def test_each_sentence_is_retrieved_at_times() -> None:
    results = {retrieve(example("She slept."), Random(seed)) for seed in range(50)}
    assert results == set(sentences(CONTEXT))


def test_the_question_and_the_candidate_are_not_retrieved() -> None:
    row = example("It rained.", "It rained. We left.", question="Why did they leave?")
    assert {retrieve(row, Random(seed)) for seed in range(20)} == {"We left."}


def test_nothing_to_retrieve() -> None:
    assert retrieve(example("It rained.", "It rained."), Random(0)) is None
    assert retrieve(example("It rained.", ""), Random(0)) is None
    assert retrieve(example("It rained.", "...\n!"), Random(0)) is None
    assert retrieve(example("It rained.", "", question="Why?"), Random(0)) is None
