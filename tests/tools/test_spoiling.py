"""Spoilt sentences: every word knows whether it suffered."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from fluency_head.spoiling import LONGEST, drop, leave, passages, reorder, repeat, replacing, swap
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from fluency_head.spoiling import Spoilt

STOCK = ["kettle", "quince", "Tuesday", "sooner"]
WAYS: dict[str, Callable[[list[str], Random], Spoilt]] = {
    "leave": leave, "reorder": reorder, "swap": swap, "drop": drop, "repeat": repeat, "replace": replacing(STOCK),
}  # fmt: skip
SENTENCE = [
    "The",
    "baker",
    "closed",
    "early",
    "because",
    "the",
    "flour",
    "had",
    "run",
    "out",
    "before",
    "noon",
    ".",
]
sentences = st.lists(
    st.sampled_from(["a", "The", "the", "goat", "sings", ".", "loud"]), min_size=2, max_size=70
)
seeds = st.integers(0, 1 << 32)
every = pytest.mark.parametrize("way", WAYS)


@every
@given(words=sentences, seed=seeds)
def test_every_word_is_told_of(way: str, words: list[str], seed: int) -> None:
    before = list(words)
    spoilt = WAYS[way](words, Random(seed))
    assert len(spoilt.words) == len(spoilt.wrong) > 0
    assert words == before, "the words that were given stay as they are"


@every
def test_the_same_seed_spoils_alike(way: str) -> None:
    assert WAYS[way](SENTENCE, Random(3)) == WAYS[way](SENTENCE, Random(3))


@pytest.mark.parametrize("way", [way for way in WAYS if way != "leave"])
def test_each_way_but_one_spoils_something(way: str) -> None:
    spoilt = [WAYS[way](SENTENCE, Random(seed)) for seed in range(20)]
    assert sum(any(text.wrong) and text.words != SENTENCE for text in spoilt) >= 15


@given(words=sentences, seed=seeds)
def test_leaving_changes_nothing(words: list[str], seed: int) -> None:
    spoilt = leave(words, Random(seed))
    assert spoilt.words == words
    assert not any(spoilt.wrong)


@given(words=sentences, seed=seeds)
def test_reordering_keeps_the_words_and_tells_which_are_new_in_a_place(words: list[str], seed: int) -> None:
    spoilt = reorder(words, Random(seed))
    assert sorted(spoilt.words) == sorted(words)
    for before, after, wrong in zip(words, spoilt.words, spoilt.wrong, strict=True):
        assert wrong == (before.lower() != after.lower())


@given(words=sentences, seed=seeds)
def test_swapping_touches_what_it_says_and_no_more(words: list[str], seed: int) -> None:
    spoilt = swap(words, Random(seed))
    assert sorted(spoilt.words) == sorted(words)
    for before, after, wrong in zip(words, spoilt.words, spoilt.wrong, strict=True):
        assert wrong or before == after


@given(count=st.integers(2, 70), seed=seeds)
def test_after_a_gap_the_next_word_is_wrong(count: int, seed: int) -> None:
    words = [str(number) for number in range(count)]  # so that each tells where it stood
    spoilt = drop(words, Random(seed))
    places = [int(word) for word in spoilt.words]
    assert places == sorted(set(places))
    before = [-1, *places]
    assert spoilt.wrong == [position - earlier > 1 for position, earlier in zip(places, before, strict=False)]


@given(words=sentences, seed=seeds)
def test_repetitions_are_wrong_and_the_rest_is_the_sentence(words: list[str], seed: int) -> None:
    spoilt = repeat(words, Random(seed))
    assert [word for word, wrong in zip(spoilt.words, spoilt.wrong, strict=True) if not wrong] == words
    assert any(spoilt.wrong)


@given(words=sentences, seed=seeds)
def test_replacements_come_from_the_stock(words: list[str], seed: int) -> None:
    spoilt = WAYS["replace"](words, Random(seed))
    for before, after, wrong in zip(words, spoilt.words, spoilt.wrong, strict=True):
        assert (after in STOCK) == wrong
        assert wrong or before == after


def test_passages_are_whole_sentences_or_fragments_of_a_few_words() -> None:
    sentence = "The goat climbed the ladder to see the sea."
    result = list(passages([" ".join([sentence] * 40), "<unk> is left out.", "Too short."], Random(0)))
    whole = sentence.split()
    assert result
    fragments = [words for words in result if len(words) % len(whole)]
    assert 0 < len(fragments) < len(result) / 2
    for words in result:
        assert 2 <= len(words) <= LONGEST
        assert words in fragments or words == whole * (len(words) // len(whole))
        assert " ".join(words) in " ".join(whole * 4)
