"""The sentence encoder against sentence-transformers, and against itself in other company."""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mars_score.errors import ModelError
from mars_score.models.quiet import quiet
from mars_score.similarity.base import cosine
from mars_score.similarity.sentence import SentenceEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.models.store import ModelStore

TEXTS = [
    "A heron stood in the shallow end of the canal.",
    "Rain.",
    "The committee will meet again in March, when the figures for the winter are known.",
    "Он купил хлеб и молоко.",
    "🙂🙃 ok",
    "Kites, lanterns and paper boats: " + "red, green and yellow ones, " * 12,
    "one two three four five " * 80,
]


@pytest.fixture(scope="module")
def folder(store: ModelStore) -> Path:
    return store.ensure("minilm-l6")


@pytest.fixture(scope="module")
def encoder(folder: Path) -> SentenceEncoder:
    return SentenceEncoder(str(folder))


def test_parity_with_sentence_transformers(encoder: SentenceEncoder, folder: Path) -> None:
    with quiet():
        from sentence_transformers import SentenceTransformer

        theirs = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, show_progress_bar=False)
    ours = np.stack([one.vector for one in encoder.encode(TEXTS)])
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_a_vector_does_not_depend_on_its_company_to_the_last_bit(encoder: SentenceEncoder) -> None:
    crowd = [f"{text} {number}" for number in range(40) for text in TEXTS[:3]] + TEXTS
    together = dict(zip(crowd, encoder.encode(crowd), strict=True))
    shuffled = random.Random(5).sample(crowd, len(crowd))
    for text, one in zip(shuffled, encoder.encode(shuffled), strict=True):
        assert np.array_equal(one.vector, together[text].vector), text
    for text in TEXTS:
        assert np.array_equal(encoder.encode([text])[0].vector, together[text].vector), text


def test_truncation_is_told(encoder: SentenceEncoder) -> None:
    told = [one.truncated for one in encoder.encode(TEXTS)]
    assert told == [False, False, False, False, False, False, True]


def test_blank_texts_have_no_vector(encoder: SentenceEncoder) -> None:
    empty, blank, word = encoder.encode(["", "  \n", "word"])
    assert not empty.vector.any()
    assert not blank.vector.any()
    assert cosine(empty, word) == 0.0
    assert cosine(word, word) == pytest.approx(1.0, abs=1e-6)
    assert encoder.encode([]) == []


def test_pooling_as_the_files_say(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "encoder"
    shutil.copytree(folder, copy)
    path = copy / "1_Pooling" / "config.json"
    modes = json.loads(path.read_text())
    assert SentenceEncoder(str(copy)).pooling == "mean"
    path.write_text(json.dumps(modes | {"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}))
    cls = SentenceEncoder(str(copy))
    assert cls.pooling == "cls"
    with quiet():
        from sentence_transformers import SentenceTransformer

        theirs = SentenceTransformer(str(copy), device="cpu").encode(TEXTS[:3], show_progress_bar=False)
    np.testing.assert_allclose(np.stack([one.vector for one in cls.encode(TEXTS[:3])]), theirs, atol=1e-5)
    path.write_text(json.dumps(modes | {"pooling_mode_cls_token": True}))
    with pytest.raises(ModelError, match="pooling"):
        SentenceEncoder(str(copy))
