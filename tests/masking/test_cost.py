from __future__ import annotations

import random
import time
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from mars_score.masking.templates import common, costs
from mars_score.text.words import words


def textbook(context: str, reference: str) -> int:
    """The length of a longest common subsequence, by the table of the textbooks."""
    table = [[0] * (len(context) + 1) for _ in range(len(reference) + 1)]
    for i, ours in enumerate(reference):
        for j, theirs in enumerate(context):
            table[i + 1][j + 1] = table[i][j] + 1 if ours == theirs else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def is_subsequence(short: list[str], long: str) -> bool:
    rest = iter(long)
    return all(letter in rest for letter in short)


few = st.text("abc", max_size=9)


@given(st.text("abcde", max_size=60), st.text("abcde", max_size=60))
def test_is_a_longest_common_subsequence(context: str, reference: str) -> None:
    places = sorted(common(context, reference))
    assert len(places) == textbook(context, reference)
    assert is_subsequence([reference[place] for place in places], context)


@given(few, few)
def test_is_the_earliest_of_the_longest(context: str, reference: str) -> None:
    # combinations() are in lexicographic order: the first that fits is the one that is promised.
    expected = next(
        places
        for places in combinations(range(len(reference)), textbook(context, reference))
        if is_subsequence([reference[place] for place in places], context)
    )
    assert common(context, reference) == frozenset(expected)


def test_costs() -> None:
    assert costs(["The", "don\u2019t", "é", "."], ["THE", "dog", "Don't", "e\u0301", "!", "."], 10) == [
        10,
        1,
        10,
        10,
        1,
        10,
    ]
    assert costs([], ["a", "b"], 10) == [1, 1]
    assert costs(["a"], [], 10) == []


def test_the_papers_example() -> None:
    context = (
        "Wendy was driving down the road. She heard her car making a noise. She pulled over to examine the "
        "problem. There was nothing but oil all on the road from her car."
    )
    reference = [word.text for word in words("She called for help and waited to get her car fixed.")]
    found = costs([word.text for word in words(context)], reference, 10)
    shared = [word for word, cost in zip(reference, found, strict=True) if cost == 10]
    assert shared == ["She", "to", "her", "car", "."]


def test_a_long_context_is_fast() -> None:
    draw = random.Random(0)
    context = [f"w{draw.randrange(200)}" for _ in range(100_000)]
    reference = [f"w{draw.randrange(400)}" for _ in range(100)]
    start = time.perf_counter()
    found = costs(context, reference, 10)
    assert time.perf_counter() - start < 2
    assert 10 in found
    assert 1 in found
