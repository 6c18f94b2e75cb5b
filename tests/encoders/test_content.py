"""Punctuation and function words."""

from __future__ import annotations

import pytest

from mars_score.text.words import FUNCTION_WORDS, is_function_word, is_punctuation


@pytest.mark.parametrize("word", [".", "?!", "...", "—", "“", "$", "+", "`", "(", "##"])
def test_punctuation(word: str) -> None:
    assert is_punctuation(word)


@pytest.mark.parametrize("word", ["a", "7", "don't", "U.S.", "🙂", "3.50", "né"])
def test_words(word: str) -> None:
    assert not is_punctuation(word)


def test_function_words() -> None:
    assert is_function_word("The")
    assert is_function_word("Don\u2019t")
    assert not is_function_word("lantern")
    assert not is_function_word("never")
    assert all(word == word.lower() for word in FUNCTION_WORDS)
