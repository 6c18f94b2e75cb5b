from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.text.frequency import BackgroundIdf, CorpusIdf, Idf
from mars_score.text.words import words


def test_rarer_words_tell_more(background: Idf) -> None:
    ranked = [background(word) for word in ("the", "dog", "zeugma", "qxzvwkjh")]
    assert ranked == sorted(set(ranked))
    assert background("The") == background("the")


def test_background_is_the_probability_to_be_in_a_document(background: Idf) -> None:
    from wordfreq import word_frequency

    expected = -math.log(1 - (1 - word_frequency("river", "en")) ** 20)
    assert background("river") == pytest.approx(expected)


def test_punctuation_is_common(background: Idf) -> None:
    assert {background(mark) for mark in (".", ",", "...", "—", "”")} == {background("!")}
    assert background("!") < background("was")


@given(st.text() | st.text(st.characters()))
def test_background_is_finite_and_above_zero(background: Idf, text: str) -> None:
    assert all(0 < background(word.text) < 100 for word in words(text))
    assert 0 < background(text) < 100


def test_corpus_counts_documents_in_whatever_case() -> None:
    idf = CorpusIdf(["The dog, the DOG.", "a Dog.", "the cat.", "rain."])
    assert idf("DOG") == pytest.approx(-math.log(3 / 6))
    assert idf("cat") == pytest.approx(-math.log(2 / 6))
    assert idf(".") < idf("the") == idf("dog") < idf("cat") < idf("unseen")


@given(st.lists(st.text("ab ."), max_size=5))
def test_corpus_is_finite_and_above_zero(documents: list[str]) -> None:
    idf = CorpusIdf(documents)
    assert all(0 < idf(word) < 100 for word in ("a", "b", ".", "unseen"))


def test_names_tell_tables_apart() -> None:
    assert re.fullmatch(r"wordfreq@[0-9a-f]{8}", BackgroundIdf().name)
    assert CorpusIdf(["a b", "c"]).name == CorpusIdf(iter(["c", "B a"])).name
    assert (
        len({CorpusIdf(texts).name for texts in ([], [""], ["a"], ["a", "a"], ["a", "b"], ["\ud800"])}) == 6
    )
