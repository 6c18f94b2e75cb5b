"""What a text copies from its context in runs of words, counted by hand and for any two texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.mars.adjustments import ContextNgrams

MARKET = "The goat ate the hat. The goat slept."
phrases = st.lists(st.sampled_from(["the", "goat", "ate", "a", "hat", ".", "Zebra", "!"]), max_size=12).map(
    " ".join
)
any_text = st.text(max_size=40) | phrases


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text.lower())


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        (MARKET, 1.0),
        ("the goat ate the hat", 1.0),
        ("THE GOAT ATE", 1.0),
        ("The goat ate hay", 3 / 4),  # a run of three of four words
        ("The goat ate the hay", 4 / 5),  # two runs that overlap are four words
        ("the goat ate the goat ate", 1.0),  # "goat ate the", too, stands in the context
        ("The goat slept, and the goat ate.", 6 / 9),  # not the marks and not "and"
        ("hat the ate goat the", 0.0),  # all of its words, none of its runs
        ("the goat", 0.0),  # less than a run
        ("", 0.0),
    ],
)
def test_counted_by_hand(text: str, copied: float) -> None:
    source = ContextNgrams.of(MARKET)
    assert len(source.runs) == 8
    assert source.copied(text) == pytest.approx(copied)


@pytest.mark.parametrize(
    ("language", "context", "text", "copied"),
    [
        ("zh", "老猫睡在窗台上。", "老猫睡在床上。", 4 / 6),  # 老 猫 睡 在; then 窗 台上, not 床上
        ("ja", "猫が窓で寝ている。", "猫が庭で寝ている。", 5 / 8),
        ("hi", "बिल्ली खिड़की पर सो रही है।", "बिल्ली खिड़की पर बैठी है।", 3 / 6),
        ("ar", "القطة تنام على النافذة.", "القطة تنام على السرير.", 3 / 5),
        ("de", "Die Katze schläft am Fenster.", "Die Katze schläft im Bett.", 3 / 6),
    ],
)
def test_words_are_those_of_the_language(language: str, context: str, text: str, copied: float) -> None:
    assert ContextNgrams.of(context, language).copied(text) == pytest.approx(copied)


@given(context=any_text, text=any_text)
def test_the_share_lies_between_none_and_all(context: str, text: str) -> None:
    assert 0 <= ContextNgrams.of(context).copied(text) <= 1


@given(context=phrases, text=phrases)
def test_it_is_the_share_of_words_that_lie_in_a_common_run(context: str, text: str) -> None:
    """Word by word: whether any of the runs that hold it stands in the context."""
    there, ours = f" {' '.join(words(context))} ", words(text)
    inside = [
        any(
            f" {' '.join(ours[start : start + 3])} " in there
            for start in range(max(0, place - 2), min(place, len(ours) - 3) + 1)
        )
        for place in range(len(ours))
    ]
    expected = sum(inside) / len(inside) if inside else 0.0
    assert ContextNgrams.of(context).copied(text) == pytest.approx(expected)


@given(context=any_text)
def test_the_context_itself_is_copied_entirely(context: str) -> None:
    assert ContextNgrams.of(context).copied(context) == float(len(words(context)) >= 3)


@given(text=any_text)
def test_nothing_is_copied_from_an_empty_context(text: str) -> None:
    assert ContextNgrams.of("").copied(text) == 0
