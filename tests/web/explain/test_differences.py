"""What made the difference: the parts sum to it, also when they are rounded, and the words say so."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.types import Example
from mars_score.web.explain.data import adding_up
from mars_score.web.explain.explanation import explain_examples
from mars_score.web.explain.page import item_view
from mars_score.web.explain.wording import (
    difference,
    difference_sentence,
    letter,
    neighbours,
    number,
    ranking,
    signed,
)
from tests.web.explain.sample import sample, scorer


def test_the_highest_score_comes_first() -> None:
    kiln = sample()[0][0]
    scores = [kiln.candidates[place].score for place in ranking(kiln)]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3


def test_parts_sum_to_the_difference() -> None:
    kiln = sample()[0][0]
    for found in (*neighbours(kiln), difference(kiln, 0, 2), difference(kiln, 2, 0)):
        assert sum(part.amount for part in found.parts) == pytest.approx(found.amount)
        sizes = [abs(part.amount) for part in found.parts]
        assert sizes == sorted(sizes, reverse=True)
    names = {part.name for part in difference(kiln, 0, 2).parts if part.kind == "adjustment"}
    assert names == {"fluency", "novel_words"}


def test_sentences_add_up_as_they_are_printed() -> None:
    kiln = sample()[0][0]
    found = difference(kiln, 0, 2)
    told = difference_sentence(found)
    gains, _, losses = told.partition(", less ")
    first, *added = [float(value) for value in re.findall(r"\d\.\d{3}", gains)]
    taken = [float(value) for value in re.findall(r"\d\.\d{3}", losses)]
    assert first == pytest.approx(sum(added) - sum(taken))
    assert told.startswith(f"A is {number(found.amount)} above C: ")
    assert "from fluency" in gains
    assert losses.startswith("0.020 from novel words")


def test_candidates_held_against_different_references_are_told_apart() -> None:
    examples = [
        Example("x", "zzz bbb", ("zzz zzz", "aaa aaa"), "some context"),
        Example("y", "aaa", ("zzz zzz", "aaa aaa"), "some context"),
    ]
    (item,) = explain_examples(scorer(), examples)
    assert difference_sentence(difference(item, 1, 0)).endswith(
        " B was held against reference 2, A against reference 1."
    )


def test_equal_candidates_are_told_to_be_equal() -> None:
    kiln = sample()[0][0]
    assert difference_sentence(difference(kiln, 1, 1)) == "B and B are equal."


def test_the_printed_sum_adds_up() -> None:
    items, standing = sample()
    for item in items:
        for view in item_view(item, standing).candidates:
            printed = [float(row.amount.replace("\N{MINUS SIGN}", "-")) for row in view.rows]
            assert sum(printed) == pytest.approx(float(view.total))
            assert float(view.total) == pytest.approx(view.candidate.score, abs=0.0005001)
            # Each bar starts where the one before it ended.
            ends = [row.bar.start if row.bar.below else row.bar.start + row.bar.width for row in view.rows]
            starts = [row.bar.start + row.bar.width if row.bar.below else row.bar.start for row in view.rows]
            assert starts == pytest.approx([view.total_bar.zero, *ends[:-1]], abs=0.02)
            assert ends[-1] == pytest.approx(view.total_bar.start + view.total_bar.width, abs=0.02)


@given(st.lists(st.floats(-2, 2), max_size=12), st.integers(0, 4))
def test_rounded_numbers_add_up(values: list[float], decimals: int) -> None:
    rounded = adding_up(values, decimals)
    assert len(rounded) == len(values)
    assert sum(rounded) == pytest.approx(round(sum(values), decimals), abs=10**-decimals / 2 * 1.01)
    for value, shown in zip(values, rounded, strict=True):
        assert abs(value - shown) <= 10**-decimals * 1.0001


def test_letters_and_numbers() -> None:
    assert [letter(place) for place in (0, 25, 26, 27, 52)] == ["A", "Z", "AA", "AB", "BA"]
    assert (number(-0.0004), number(-0.25), signed(0.1)) == ("0.000", "\N{MINUS SIGN}0.250", "+0.100")
