"""What made the difference: the parts sum to it, also when they are rounded, and the sentences say what they mean."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.types import Adjustment
from mars_score.web.explain.data import ExplainedCandidate, ExplainedItem, ExplainedTerm, Mark, adding_up
from mars_score.web.explain.page import item_view
from mars_score.web.explain.reasons import (
    difference,
    in_numbers,
    neighbours,
    ranking,
    reason,
    shares,
    trust,
    words_weight,
)
from mars_score.web.explain.wording import letter, number, signed
from tests.web.explain.sample import sample

WEIGHT = 0.5


def candidate(
    name: str, cosine: float, words: float | None = None, marks: tuple[Mark, ...] = (), **amounts: float
) -> ExplainedCandidate:
    """A candidate with one cosine, the match of its words, and further adjustments by name."""
    found = [Adjustment(key, amount, amount, 0.0, f"about {key}") for key, amount in amounts.items()]
    if words is not None:
        found.insert(0, Adjustment("words", WEIGHT * (words - cosine), words, cosine, "single words"))
    total = cosine + sum(one.amount for one in found)
    term = ExplainedTerm(0, 0.0, (), cosine, 1.0, cosine)
    return ExplainedCandidate(name, name, name, total, (term,), tuple(found), 0.0, (), marks)


def item(*candidates: ExplainedCandidate) -> ExplainedItem:
    return ExplainedItem(1, (), (), candidates, "best")


def match(word: str, partner: str, start: int) -> Mark:
    return Mark("matched", 0, len(word), word, "", len(word), 0, partner, start)


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
    assert {part.name for part in difference(kiln, 0, 2).parts} == {"meaning", "fluency", "novel_words"}


def test_the_match_of_words_is_told_as_what_it_is() -> None:
    """As an adjustment it is a loss for both; as a part, the better one gains by it."""
    both = item(candidate("a", 0.8, 0.62), candidate("b", 0.5, 0.42))
    assert all(one.adjustments[0].amount < 0 for one in both.candidates)
    assert words_weight(both) == pytest.approx(WEIGHT)
    for one in both.candidates:
        parts = {share.name: share for share in shares(one, WEIGHT)}
        assert sum(share.amount for share in parts.values()) == pytest.approx(one.score)
        assert parts["words"].amount == pytest.approx(WEIGHT * parts["words"].measured)
        assert parts["meaning"].amount == pytest.approx((1 - WEIGHT) * parts["meaning"].measured)
    told = in_numbers(difference(both, 0, 1))
    assert told == "A is 0.25 above B: meaning +0.15 (0.80 against 0.50) and words +0.10 (0.62 against 0.42)."
    rows = item_view(both, None).best.shares
    assert [(row.name, row.amount) for row in rows] == [("meaning", "+0.40"), ("words", "+0.31")]


def test_words_that_match_as_texts_do_are_no_puzzle() -> None:
    equal = item(candidate("a", 0.6, 0.6))
    assert words_weight(equal) == 0
    assert sum(share.amount for share in shares(equal.candidates[0], 0.0)) == pytest.approx(0.6)


def test_numbers_add_up_as_they_are_printed() -> None:
    kiln = sample()[0][0]
    found = difference(kiln, 0, 2)
    told = in_numbers(found).replace("\N{MINUS SIGN}", "-")
    total = float(re.findall(r"is (\d\.\d\d) above C", told)[0])
    assert total == pytest.approx(sum(map(float, re.findall(r" ([+-]\d\.\d\d)", told))))
    assert "novel words" in told
    assert in_numbers(difference(kiln, 1, 1)) == "B and B are equal to 2 digits."


def test_nothing_that_is_zero_is_listed() -> None:
    both = item(candidate("a", 0.8, 0.6, cap=0.0, copying=-0.001), candidate("b", 0.5, 0.4, cap=0.0))
    assert "copying" not in in_numbers(difference(both, 0, 1))
    for view in item_view(both, None).candidates:
        assert [row.name for row in view.shares] == ["meaning", "words"]


def test_the_reason_names_the_words_that_one_has_and_the_other_lacks() -> None:
    marks = (match("bike", "bicycle", 20), match("kite", "kite", 4))
    both = item(candidate("a", 0.7, 0.6, marks), candidate("b", 0.3, 0.4, (match("kite", "kite", 4),)))
    told = reason(both, difference(both, 0, 1))
    assert told == "A says what the reference says (bike for bicycle); B says less of it."


def test_the_reason_blames_what_took_away() -> None:
    marks = (Mark("misplaced", 0, 3, "the", ""), Mark("misplaced", 4, 8, "seal", ""))
    both = item(candidate("a", 0.4, 0.4), candidate("b", 0.6, 0.6, marks, fluency=-0.5))
    told = reason(both, difference(both, 0, 1))
    assert told == "B has words out of place (“the”, “seal”), though B is nearer to the reference as a whole."


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("relevance", "B is off the topic."),
        ("facts", "B says what neither context nor reference says (“1987”)."),
        ("likelihood", "B is not what one expects to read here."),
        ("made_up", "B loses by made up."),
    ],
)
def test_any_set_of_terms_has_a_reason(name: str, told: str) -> None:
    marks = (Mark("unsupported", 0, 4, "1987", "Nobody says so."),)
    both = item(candidate("a", 0.5), candidate("b", 0.5, None, marks, **{name: -0.3}))
    assert reason(both, difference(both, 0, 1)) == told


def test_equal_scores_have_no_reason() -> None:
    both = item(candidate("a", 0.5), candidate("b", 0.499))
    assert reason(both, difference(both, 0, 1)) == "A and B are equal to 2 digits."


def test_trust_says_whether_the_parts_agree() -> None:
    clear = trust(item(candidate("a", 0.8, 0.6), candidate("b", 0.5, 0.4)))
    assert clear is not None
    assert (clear.level, clear.sentence.split(";")[0]) == ("clear", "Every part of the score puts A above B")
    mixed = trust(item(candidate("a", 0.8, 0.6, relevance=-0.1), candidate("b", 0.5, 0.4)))
    assert mixed is not None
    assert (mixed.level, mixed.sentence.split(";")[0]) == ("mixed", "Context speaks for B")
    close = trust(item(candidate("a", 0.51), candidate("b", 0.5)))
    assert close is not None
    assert close.label == "Too close to call"
    assert trust(item(candidate("a", 0.5))) is None


def test_other_metrics_have_a_say() -> None:
    pair = [
        replace(candidate("a", 0.8), others={"rougeL": 0.3, "ter": 0.9, "chrf": None}),
        replace(candidate("b", 0.5), others={"rougeL": 0.2, "ter": 0.5, "chrf": 0.4}),
    ]
    found = trust(item(*pair))
    assert found is not None
    assert "rougeL agrees (0.30, 0.20)" in found.sentence
    assert "ter prefers B (0.90, 0.50)" in found.sentence  # fewer edits are better
    assert "chrf" not in found.sentence


def test_bars_start_at_one_zero_line() -> None:
    items, standing = sample()
    for each in items:
        views = item_view(each, standing).candidates
        bars = [row.bar for view in views for row in view.shares]
        assert len({bar.zero for bar in bars}) <= 1
        for bar in bars:
            edge = bar.start + bar.width if bar.below else bar.start
            assert edge == pytest.approx(bar.zero, abs=0.02)


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
