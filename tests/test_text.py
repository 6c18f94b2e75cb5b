from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.text.cleaning import clean

REMOVED = [
    ("We won! #victory at last", "We won! at last"),
    ("We won #victory.", "We won."),
    ("We won #victory .", "We won ."),
    ("#one #two We won", "We won"),
    ("We won #one#two", "We won"),
    ("We won (#victory) again", "We won () again"),
    ("lists:\n#one\nend", "lists:\n\nend"),
    ("#नमस्ते जी", "जी"),
    ("Read https://example.org/a?b=c#d now", "Read now"),
    ("Read HTTP://EXAMPLE.ORG now", "Read now"),
    ("Read https://example.org. Then rest.", "Read. Then rest."),
    ("Read www.example.org, then rest", "Read, then rest"),
    ('He wrote "http://example.org/x".', 'He wrote "".'),
    ("gluedhttps://example.org/x end", "glued end"),
    ("见http://example.org/x你好", "见 你好"),
    ("a\x00b", "a b"),
    ("a \x07\x1b b\x7f", "a b"),
    ("\x02start", "start"),
    ("one\r\ntwo", "one\ntwo"),
    ("one\rtwo", "one two"),
    ("lone \ud800 half", "lone \ufffd half"),
    ("a pair \ud83d\ude00", "a pair 😀"),
    ("not one: www #a.example", "not one: www .example"),
]
KEPT = [
    "",
    "   ",
    "Plain  text,\twith its own   spaces \n and lines. ",
    "It rose by ####.## points, the ##-year-old said",
    "# a heading",
    "He is #1 in C# and F#",
    "&#39;quoted&#39; &#x27;",
    "awww... www... http:// ://",
    "éè 日本語 😀 \u200b",
    "#only",
    "#only!",
    "https://example.org/only",
    "... #only",
]


@pytest.mark.parametrize(("text", "expected"), REMOVED)
def test_removes(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize("text", KEPT)
def test_keeps_byte_for_byte(text: str) -> None:
    assert clean(text) == text


def test_a_text_of_control_characters_alone_is_kept() -> None:
    assert clean("\x00") == "\x00"


def test_control_characters_go_even_where_a_hashtag_must_stay() -> None:
    assert clean("#only\x00") == "#only"


pieces = st.sampled_from(
    ["#", "#tag", "tag", "www", ".", "http", "s", "://", "x.org", " ", "  ", "\n", "\t", "\r", "\x00", "\x85",
     "&", "1", ")", "(", '"', "\ud800", "\udc00", "\u0300", "字", "!", "_"]
)  # fmt: skip
messy = st.lists(pieces, max_size=14).map("".join) | st.text() | st.text(st.characters())


@given(messy)
@settings(deadline=None)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text)
    assert clean(once) == once


@given(messy)
@settings(deadline=None)
def test_never_blanks_a_text_and_always_writable(text: str) -> None:
    cleaned = clean(text)
    assert bool(cleaned.strip()) >= bool(text.strip())
    cleaned.encode("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        " " * 50_000 + "x",
        "#a" * 50_000,
        "#" + "a" * 50_000 + "(",
        "http://" + "." * 50_000 + "<",
        "\x00 " * 50_000,
    ],
    ids=["spaces", "hashtags", "long hashtag", "dots", "controls"],
)
def test_takes_linear_time(text: str) -> None:
    start = time.perf_counter()
    clean(text)
    assert time.perf_counter() - start < 5  # quadratic time takes minutes
