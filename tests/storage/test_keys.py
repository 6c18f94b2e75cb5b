"""Different texts or settings never meet under one key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from mars_score.fingerprint import ALGORITHM, KEY, pair_key
from mars_score.types import Pair

from .samples import rows
from .toys import toy_scorer

if TYPE_CHECKING:
    import pytest

strings = st.text(max_size=5)
pairs = st.builds(Pair, strings, strings, strings)


@given(strings, pairs, strings, pairs)
def test_equal_keys_mean_equal_input(signature: str, pair: Pair, other: str, another: Pair) -> None:
    same = (signature, pair) == (other, another)
    assert (pair_key(signature, pair) == pair_key(other, another)) == same
    assert len(pair_key(signature, pair)) == KEY


@given(strings, strings, strings)
def test_borders_count(a: str, b: str, c: str) -> None:
    keys = {pair_key("s", pair) for pair in (Pair(a + b, c), Pair(a, b + c), Pair(a, b, c))}
    assert len(keys) == len({Pair(a + b, c), Pair(a, b + c), Pair(a, b, c)})


def test_the_key_is_always_the_same() -> None:
    """A cache and a pack outlive this process; a change here makes all of them useless."""
    assert (
        pair_key("mars:v1", Pair("Ein Café.", "One 😀.", "Why?")).hex()
        == "ca3187dca9ecee1b234e508634dac0156f8e3886ca1620be811a0a1aa0591e29"
    )


def test_another_algorithm_finds_nothing_of_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = toy_scorer()
    scorer.score_examples(rows(3))
    assert toy_scorer().to_augment(rows(3)) == []
    monkeypatch.setitem(ALGORITHM, "augment", ALGORITHM["augment"] + 1)
    assert len(toy_scorer().to_augment(rows(3))) == 3
