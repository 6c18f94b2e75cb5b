"""Each rater's order, and the names of raters."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.web.rating.questions import LONGEST, order_for, rater_key, rater_name
from mars_score.web.rating.sheet import Sheet, SheetText
from tests.cli.conftest import environment
from tests.web.rating.samples import rows

TWENTY = Sheet(Path("sheet.csv"), tuple(SheetText(row.code, row.context, row.text) for row in rows(20)))
VARIANTS = {row.code: row.variant for row in rows(20)}

texts = st.lists(
    st.builds(
        SheetText, st.text(min_size=1, max_size=4), st.sampled_from(["", "a", "b"]), st.text(max_size=3)
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda text: text.code,
)
names = st.text("abcdef 0123", min_size=1, max_size=8)


@given(texts, names)
@settings(deadline=None)
def test_an_order_is_a_permutation_in_rounds(sheet_texts: list[SheetText], rater: str) -> None:
    sheet = Sheet(Path("sheet.csv"), tuple(sheet_texts))
    order = order_for(sheet, rater)
    assert sorted(text.code for text in order) == sorted(text.code for text in sheet_texts)
    assert order == order_for(sheet, rater) == order_for(Sheet(Path("x"), tuple(sheet_texts[::-1])), rater)
    seen: Counter[str] = Counter()
    rounds = []
    for text in order:
        seen[text.context] += 1
        rounds.append(seen[text.context])
    assert rounds == sorted(rounds)


@given(names, names)
@settings(deadline=None, max_examples=30)
def test_raters_have_orders_of_their_own(first: str, second: str) -> None:
    same = order_for(TWENTY, first) == order_for(TWENTY, second)
    assert same == (rater_key(first) == rater_key(second))


def test_another_process_finds_the_same_order() -> None:
    code = (
        "from tests.web.rating.test_order import *; print(*(text.code for text in order_for(TWENTY, 'Ida')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stdout.split() == [text.code for text in order_for(TWENTY, "Ida")]


def test_no_variant_comes_first() -> None:
    """Of the first round, each variant has about a third."""
    first = Counter(
        VARIANTS[text.code] for number in range(60) for text in order_for(TWENTY, f"r{number}")[:20]
    )
    assert all(330 < count < 470 for count in first.values()), first


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("  Ida   Holm ", "Ida Holm"),
        ("r-17_b", "r-17_b"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("\u0928\u093f\u0936\u093e", "\u0928\u093f\u0936\u093e"),
        ("ida@example.org", "ida@example.org"),
        ("o'Neil", "o'Neil"),
        ("x" * LONGEST, "x" * LONGEST),
    ],
)
def test_names(given: str, name: str) -> None:
    assert rater_name(given) == name


@pytest.mark.parametrize(
    "given",
    ["", "  ", "x" * (LONGEST + 1), "=1+1", "+x", "-x", "@x", "a\x00b", "a<b", 'a"b', "a,b", "a\u202eb"],
)
def test_what_is_no_name(given: str) -> None:
    assert rater_name(given) is None
