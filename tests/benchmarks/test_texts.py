"""The benchmarks' texts: as many, as long and as different as they promise, and in decent English."""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import pytest
from benchmarks.texts import article, candidates, stories, summaries
from benchmarks.texts.articles import MOST_SUMMARIES, REPORTS
from benchmarks.texts.filling import MEN, SHE, WOMEN
from benchmarks.texts.storytelling import MOST_STORIES, OUTLINES
from tokenizers import Tokenizer

from mars_score.types import Pair

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

STORIES = stories(MOST_STORIES)
CANDIDATES = [candidates(pair, 10) for pair in STORIES]
SUMMARIES = summaries(MOST_SUMMARIES, 1200)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"])")


def sentences(text: str) -> list[str]:
    return SENTENCE_END.split(text)


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


def all_texts() -> Iterable[str]:
    yield from chain.from_iterable((pair.context, pair.reference) for pair in STORIES + SUMMARIES)
    yield from chain.from_iterable(CANDIDATES)


def test_there_are_enough_stories_and_all_differ() -> None:
    assert MOST_STORIES >= 400
    assert len({pair.context for pair in STORIES}) == MOST_STORIES
    assert len({pair.reference for pair in STORIES}) == MOST_STORIES
    assert len(OUTLINES) >= 24


def test_contexts_have_40_to_60_tokens(smollm: Path) -> None:
    # The file that the language model's tokenizer is built from: the same counts without loading transformers.
    tokenizer = Tokenizer.from_file(str(smollm / "tokenizer.json"))
    encoded = tokenizer.encode_batch([pair.context for pair in STORIES])
    lengths = [len(encoding.ids) for encoding in encoded]
    assert min(lengths) >= 40
    assert max(lengths) <= 60


def test_a_story_is_four_sentences_and_one_ending() -> None:
    for context, reference, question in STORIES:
        assert len(sentences(context)) == 4, context
        assert len(sentences(reference)) == 1, reference
        assert 7 <= len(reference.split()) <= 18, reference
        assert not question


@pytest.mark.parametrize("count", [0, 1, 29, 31, 400])
def test_fewer_stories_are_the_first_of_more(count: int) -> None:
    assert stories(count) == STORIES[:count]


def test_neighbours_tell_different_stories() -> None:
    for story, other in pairwise(STORIES):
        shared = words(story.context) & words(other.context)
        assert len(shared) < 0.5 * len(words(story.context)), (story, other)


def test_no_two_stories_differ_by_their_names_alone() -> None:
    names = {name.lower() for name in WOMEN + MEN} | {*SHE, *SHE.values()}
    output = {
        " ".join(w for w in re.findall(r"[a-z0-9']+", p.context.lower()) if w not in names) for p in STORIES
    }
    assert len(output) == MOST_STORIES


def test_pronouns_agree_with_the_main_person() -> None:
    for context, _, _ in STORIES:
        first = next(word for word in re.findall(r"\w+", context) if word in WOMEN + MEN)
        opening = re.search(r"(?:^|[.] )(He|She|His|Her)\b", context)
        if opening and "One day a woman" not in context:
            assert (opening[1] in {"She", "Her"}) == (first in WOMEN), context


def test_candidates_are_different_and_none_is_the_reference() -> None:
    for pair, texts in zip(STORIES, CANDIDATES, strict=True):
        assert len({pair.reference, *texts}) == 11
        assert all(5 <= len(text.split()) <= 20 for text in texts), texts


def test_a_few_candidates_still_range_from_good_to_unrelated() -> None:
    pair, ladder = STORIES[0], CANDIDATES[0]
    assert candidates(pair, 0) == []
    assert candidates(pair, 1) == ladder[:1]
    for count in range(2, 11):
        some = candidates(pair, count)
        assert len(set(some)) == count
        assert (some[0], some[-1]) == (ladder[0], ladder[-1])
        assert some == sorted(some, key=ladder.index)


def test_candidates_of_many_stories_hardly_repeat() -> None:
    texts = [text for pair in STORIES[:400] for text in candidates(pair, 5)]
    assert len(set(texts)) >= 0.98 * len(texts)


@pytest.mark.parametrize("length", [60, 150, 300, 600, 1200])
def test_articles_are_about_as_long_as_asked(length: int) -> None:
    for seed in range(2 * len(REPORTS)):
        # At most half a sentence is missing or too much.
        assert abs(len(article(length, seed).split()) - length) <= 15


def test_an_article_says_nothing_twice() -> None:
    for pair in SUMMARIES:
        parts = sentences(pair.context)
        assert len(set(parts)) == len(parts)


@pytest.mark.parametrize("length", [60, 1200])
def test_articles_and_summaries_all_differ(length: int) -> None:
    pairs = summaries(64, length)
    assert len({pair.context for pair in pairs}) == 64
    assert len({pair.reference for pair in pairs}) == 64
    assert len(set(summaries(MOST_SUMMARIES, length))) == MOST_SUMMARIES
    assert pairs == summaries(MOST_SUMMARIES, length)[:64]


def test_a_summary_is_short_and_about_its_article() -> None:
    for pair in SUMMARIES:
        assert 12 <= len(pair.reference.split()) <= 30, pair.reference
        assert 1 <= len(sentences(pair.reference)) <= 2, pair.reference
        report = words(" ".join(sentences(pair.context)[:17]))
        assert len(words(pair.reference) & report) > 0.5 * len(words(pair.reference)), pair.reference


def test_texts_are_clean_sentences() -> None:
    for text in all_texts():
        assert not re.search(r"[{}]|\s\s|\s[.,;!?]|[.,]{2}|^\s|\s$", text), text
        assert re.search(r"[.!?]$", text), text
        assert all(re.match(r'"?[A-Z]', sentence) for sentence in sentences(text)), text
        assert not re.search(r"\b(\w+) \1\b", text, flags=re.IGNORECASE), text


def test_articles_agree_with_the_next_sound() -> None:
    for text in all_texts():
        assert not re.search(r"\b[Aa] [aeiouAEIOU]", text), text
        # Letters are not sounds: "an hour" is right, and "an used book" is wrong.
        assert not re.search(r"\b[Aa]n (us|uni|eu|one)", text), text
        assert not re.search(r"\b[Aa]n (?!hour\b)[^aeiouAEIOU]", text), text


def test_more_than_there_is_is_an_error() -> None:
    for wrong in (-1, MOST_STORIES + 1):
        with pytest.raises(ValueError, match="stories"):
            stories(wrong)
    for wrong in (-1, 11):
        with pytest.raises(ValueError, match="candidates"):
            candidates(STORIES[0], wrong)
    with pytest.raises(ValueError, match="not one of the stories"):
        candidates(Pair("A stranger.", "Came by."), 1)
    with pytest.raises(ValueError, match="words for an article"):
        article(10_000)
    with pytest.raises(ValueError, match="at least one word"):
        article(0)
    with pytest.raises(ValueError, match="summaries"):
        summaries(MOST_SUMMARIES + 1, 100)
