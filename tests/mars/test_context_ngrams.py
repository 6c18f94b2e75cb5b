"""What a text takes over from its context, counted by hand and for any two texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.mars.adjustments import ContextNgrams, runs, words
from mars_score.text.frequency import rarity

MARKET = "The goat ate the hat. The goat slept."
phrases = st.lists(st.sampled_from(["the", "goat", "ate", "a", "hat", ".", "Zebra", "!"]), max_size=12).map(
    " ".join
)
any_text = st.text(max_size=40) | phrases


def test_words_are_lower_case_and_marks_stand_alone() -> None:
    assert words("It's 9 o'clock -- GO!") == ["it", "'", "s", "9", "o", "'", "clock", "-", "-", "go", "!"]
    assert words(" \n") == []


def test_runs_are_of_three_words() -> None:
    assert runs("The goat ate hay.") == (("the", "goat", "ate"), ("goat", "ate", "hay"), ("ate", "hay", "."))
    assert runs("Two words") == ()


@pytest.mark.parametrize(
    ("text", "copied", "echoed"),
    [
        (MARKET, 1.0, 1.0),
        ("the goat ate the hat", 1.0, 3 / 8),
        ("The goat ate hay", 1 / 2, 1 / 8),
        ("hat the ate goat the", 0.0, 0.0),
        ("the goat", 0.0, 0.0),
        ("the goat ate the goat ate", 3 / 4, 2 / 8),
        ("", 0.0, 0.0),
    ],
)
def test_counted_by_hand(text: str, copied: float, echoed: float) -> None:
    source = ContextNgrams.of(MARKET)
    assert len(source.runs) == 8
    assert source.copied(text) == pytest.approx(copied)
    assert source.echoed(text) == pytest.approx(echoed)


def test_rare_words_cover_more_and_marks_nothing() -> None:
    source = ContextNgrams.of(MARKET)
    goat, zebra = rarity("goat"), rarity("zebra")
    assert source.covered("goat, zebra!") == pytest.approx(goat / (goat + zebra))
    assert source.covered("Goat goat zebra") == pytest.approx(2 * goat / (2 * goat + zebra))
    assert source.covered("GOAT") == 1.0
    assert source.covered("?!") == source.covered("") == 0.0


@given(context=any_text, text=any_text)
def test_shares_lie_between_none_and_all(context: str, text: str) -> None:
    source = ContextNgrams.of(context)
    for share in (source.copied(text), source.echoed(text), source.covered(text)):
        assert 0 <= share <= 1 + 1e-12


@given(context=any_text)
def test_the_context_itself_is_taken_over_entirely(context: str) -> None:
    source = ContextNgrams.of(context)
    long = len(words(context)) >= 3
    assert source.copied(context) == source.echoed(context) == float(long)


@given(context=phrases, text=phrases)
def test_what_is_copied_is_echoed_and_the_other_way_round(context: str, text: str) -> None:
    source = ContextNgrams.of(context)
    assert (source.copied(text) > 0) == (source.echoed(text) > 0)


@given(text=any_text)
def test_nothing_is_taken_from_an_empty_context(text: str) -> None:
    source = ContextNgrams.of("")
    assert (source.copied(text), source.echoed(text), source.covered(text)) == (0, 0, 0)
