"""Where sentences end."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.text.words import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We stayed in.", ["It rained.", "We stayed in."]),
        ("Why? Because! Oh… Well... No.", ["Why?", "Because!", "Oh…", "Well...", "No."]),
        ("Dr. Ames met J. Roe at 5 p.m. on Jan. 3.", ["Dr. Ames met J. Roe at 5 p.m. on Jan. 3."]),
        ('"Run!" he said. "Now." She ran.', ['"Run!" he said.', '"Now."', "She ran."]),
        ("So did I. Then he left (at last). Nobody spoke.", ["So did I.", "Then he left (at last).", "Nobody spoke."]),
        ("the sea was calm . they rowed on .", ["the sea was calm .", "they rowed on ."]),
        ("she knocked. nobody came.", ["she knocked.", "nobody came."]),
        ("Approx. five boats left. One sank.", ["Approx. five boats left.", "One sank."]),
        ("First line\nSecond line. Third", ["First line", "Second line.", "Third"]),
        ("It cost 3.50 at www.example.org today", ["It cost 3.50 at www.example.org today"]),
        ("no end", ["no end"]),
        ("", []),
        (" \n ", []),
        ("?! ...", ["?!", "..."]),
    ],
)  # fmt: skip
def test_examples(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=st.one_of(st.sampled_from(" .!?…\"')(aAzI\n\t"), st.characters(codec="utf-8"))))
def test_nothing_is_lost(text: str) -> None:
    found = sentences(text)
    assert all(sentence.strip() == sentence != "" for sentence in found)
    assert "".join("".join(found).split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["." * 50_000, "a. " * 20_000, '"' * 50_000, " " * 50_000, "A.b. c" * 5_000])
def test_long_texts_take_no_time(text: str) -> None:
    start = time.perf_counter()
    sentences(text)
    assert time.perf_counter() - start < 2
