"""Averaged word vectors on a vocabulary of four words, worked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import save_file

from mars_score.encoders.base import cosine
from mars_score.encoders.word_vectors import WordVectorEncoder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def encoder(tmp_path: Path) -> WordVectorEncoder:
    (tmp_path / "words.txt").write_text("sea\nsky\nblue\n.", encoding="utf-8")
    vectors = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], dtype=np.float32)
    save_file({"vectors": vectors}, tmp_path / "vectors.safetensors")
    return WordVectorEncoder(str(tmp_path))


def test_the_mean_of_the_words_that_have_a_vector(encoder: WordVectorEncoder) -> None:
    sea, both, unknown = encoder.encode(["Sea", "sea sky zyzzyva", "zyzzyva"])
    assert sea.vector.tolist() == [1.0, 0.0]
    assert both.vector.tolist() == pytest.approx([0.5**0.5, 0.5**0.5])
    assert not unknown.vector.any()
    assert cosine(sea, both) == pytest.approx(0.5**0.5)
    assert cosine(sea, unknown) == 0.0


def test_order_and_case_do_not_matter_to_a_mean(encoder: WordVectorEncoder) -> None:
    first, second = encoder.encode(["Blue sea.", "sea blue ."])
    assert cosine(first, second) == pytest.approx(1.0)
