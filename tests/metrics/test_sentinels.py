from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mars_score.metrics.sentinels import CandidateLength, Random
from mars_score.types import Example

from .human_data import needs_data, number, numbers, rows

EXAMPLE = Example("1", "The boat came home.", ("It came back.", "It returned."), "A boat was lost.")
TEXT = st.text(st.characters())


def test_length_in_words() -> None:
    texts = {"": 0, "  \n": 0, "one": 1, " two\twords ": 2, "punctuation, too , counts": 4}
    assert numbers(CandidateLength(), [Example("1", text, ("a",)) for text in texts]) == list(texts.values())
    assert CandidateLength().higher_is_better
    assert CandidateLength().inputs == ()


def test_random_by_hand() -> None:
    # The first 53 bits of sha256 of '[0, "a", ["b"], "c"]' (2a82dca8b959baa6...), over 2^53.
    import hashlib

    assert hashlib.sha256(b'[0, "a", ["b"], "c"]').hexdigest().startswith("2a82dca8b959baa6")
    expected = (int("2a82dca8b959baa6", 16) >> 11) / 2**53
    assert numbers(Random(), [Example("1", "a", ("b",), "c")]) == [expected]


@given(TEXT, st.lists(TEXT, min_size=1, max_size=3), TEXT, st.integers())
def test_random_is_in_range(candidate: str, references: list[str], context: str, seed: int) -> None:
    (value,) = Random(seed).score([Example("1", candidate, tuple(references), context)])
    assert 0 <= number(value) < 1


def test_random_follows_from_the_texts_alone() -> None:
    (expected,) = Random().score([EXAMPLE])
    turned = replace(EXAMPLE, id="another", references=(*EXAMPLE.references[::-1], EXAMPLE.references[0]))
    assert Random().score([turned]) == [expected]
    for other in (
        replace(EXAMPLE, candidate="The boat came home"),
        replace(EXAMPLE, references=EXAMPLE.references[:1]),
        replace(EXAMPLE, context=""),
    ):
        assert Random().score([other]) != [expected]
    assert Random(1).score([EXAMPLE]) != [expected]


def test_signatures_are_literal() -> None:
    assert CandidateLength().signature == "candidate_length:v1|tok:whitespace"
    assert Random(7).signature == "random:v1|hash:sha256|seed:7"


@needs_data
def test_random_is_spread_evenly() -> None:
    result = numbers(Random(), rows(("mans_roc", 1000)))
    assert len(set(result)) == len(result) == 1000
    tenths = [sum(int(value * 10) == tenth for value in result) for tenth in range(10)]
    assert all(60 < count < 140 for count in tenths)  # 100 each; four standard deviations are 38
