from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.text.words import words

SPLITS = [
    ("She won't stop, it's John's.", ["She", "won't", "stop", ",", "it's", "John's", "."]),
    ("l’été arrivé", ["l’été", "arrivé"]),  # noqa: RUF001
    ("a well-known mother-in-law", ["a", "well-known", "mother-in-law"]),
    ("3,000.50 at 10:30, 5% of $7", ["3,000.50", "at", "10:30", ",", "5", "%", "of", "$", "7"]),
    ("Wait... no--yes!", ["Wait", "...", "no", "--", "yes", "!"]),
    ("up #### points", ["up", "####", "points"]),
    ("the U.S. at 5 p.m. (i.e. late)", ["the", "U.S.", "at", "5", "p.m.", "(", "i.e.", "late", ")"]),
    ("Ann 's dog did n't 'Stay'", ["Ann", "'s", "dog", "did", "n't", "'", "Stay", "'"]),
    ("snake_case x²", ["snake_case", "x²"]),
    ("日本語です。", ["日", "本", "語", "で", "す", "。"]),
    ("한국어 말", ["한국어", "말"]),
    ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
    ("e\u0301te\u0301 fini", ["e\u0301te\u0301", "fini"]),
    ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
    ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
    ("👍🏽😀🇫🇷🇩🇪", ["👍🏽", "😀", "🇫🇷", "🇩🇪"]),
    ("👩\u200d👩\u200d👧❤\ufe0f1\ufe0f\u20e3", ["👩\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3"]),
    ("", []),
    (" \n\t\u3000", []),
]


@pytest.mark.parametrize(("text", "expected"), SPLITS)
def test_splits(text: str, expected: list[str]) -> None:
    assert [word.text for word in words(text)] == expected


@given(st.text() | st.text(st.characters()) | st.text("a1.,:'-_ \u0300\u200d字☺🇦#\ue000\ue001\ue002"))
def test_covers_each_character_once_and_in_order(text: str) -> None:
    found = words(text)
    assert all(word.text == text[word.start : word.end] for word in found)
    covered = [place for word in found for place in range(word.start, word.end)]
    assert covered == [place for place, character in enumerate(text) if not character.isspace()]
