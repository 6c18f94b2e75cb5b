"""What the pieces of a text weigh: by hand, and for every piece of the default encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.encoders.fluency import CONTINUED, LEAST, PieceWeights
from mars_score.text.frequency import COMMONEST, rarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.models.store import ModelStore

PIECES = ["the", "heron", "##s", ".", "[UNK]", "qzxv"]


class Tokenizer:
    """Knows a few pieces, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def convert_ids_to_tokens(self, piece: int) -> str:
        self.asked += 1
        return PIECES[piece]


def raw(piece: str) -> float:
    """The rule in one line."""
    return LEAST + (CONTINUED if piece.startswith("##") else rarity(piece) / 2 if piece[0].isalnum() else 0.0)


def test_rare_words_are_rarer() -> None:
    assert 0 <= rarity("the") < rarity("house") < rarity("heron") < rarity("qzxv") == COMMONEST


@given(word=st.text(min_size=1))
def test_rarity_is_bounded(word: str) -> None:
    assert 0 <= rarity(word) <= COMMONEST


def test_weights_worked_by_hand() -> None:
    expected = np.array([raw(piece) for piece in PIECES])
    found = PieceWeights(Tokenizer())(range(len(PIECES)))
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-6)
    the, heron, continued, mark, unknown, strange = found
    assert mark == unknown < the < heron < strange
    assert continued == pytest.approx(heron, rel=0.5)


@given(pieces=st.lists(st.integers(0, len(PIECES) - 1), min_size=1))
def test_they_sum_to_one_and_equal_pieces_weigh_the_same(pieces: Sequence[int]) -> None:
    found = PieceWeights(Tokenizer())(pieces)
    assert found.dtype == np.float32
    assert found.sum() == pytest.approx(1, abs=1e-5)
    assert found.min() > 0
    for piece in set(pieces):
        assert (
            len({float(weight) for weight, other in zip(found, pieces, strict=True) if other == piece}) == 1
        )


def test_marks_alone_share_the_weight() -> None:
    assert PieceWeights(Tokenizer())([3, 3, 4, 3]).tolist() == [0.25] * 4


def test_a_piece_is_looked_up_once() -> None:
    tokenizer = Tokenizer()
    weigh = PieceWeights(tokenizer)
    weigh([0, 1, 0])
    weigh([1, 0])
    assert tokenizer.asked == 2


def test_every_piece_of_the_default_encoder_has_a_weight(store: ModelStore) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(store.ensure("minilm-l6"))
    found = PieceWeights(tokenizer)(range(len(tokenizer)))
    assert np.isfinite(found).all()
    assert found.min() > 0
