"""The sentence encoder against sentence-transformers, and against itself in other company."""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from mars_score.encoders.base import cosine
from mars_score.encoders.network import LARGEST
from mars_score.encoders.sentence import SentenceEncoder
from mars_score.errors import ModelError
from mars_score.models.report import quiet

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
WORDS = ["red", "sun", "sea", "sky", "ice", "oak", "day"]
"""Each is one token."""


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


@pytest.mark.numeric
def test_a_vector_does_not_depend_on_its_company_to_the_last_bit(encoder: SentenceEncoder) -> None:
    crowd = [f"{text} {number}" for number in range(40) for text in TEXTS[:3]] + TEXTS
    together = dict(zip(crowd, encoder.encode(crowd), strict=True))
    shuffled = random.Random(5).sample(crowd, len(crowd))
    for text, one in zip(shuffled, encoder.encode(shuffled), strict=True):
        assert np.array_equal(one.vector, together[text].vector), text
    for text in TEXTS:
        assert np.array_equal(encoder.encode([text])[0].vector, together[text].vector), text


@pytest.mark.numeric
@pytest.mark.parametrize("words", [1, 6, 14, 30, 62, 126, 254])
def test_so_it_is_among_many_of_its_length(words: int, encoder: SentenceEncoder) -> None:
    """With `words` short words and the two tokens at its ends, a text has a length of its own."""
    draw = random.Random(words)
    texts = {" ".join(draw.choices(WORDS, k=words)) for _ in range(100)}
    crowd = sorted(texts)[: 2 * LARGEST // (words + 2) + 1]
    found = encoder.encode(crowd)
    for index in (0, len(crowd) // 2, -1):
        assert np.array_equal(encoder.encode([crowd[index]])[0].vector, found[index].vector)


@pytest.mark.numeric
def test_nor_does_it_depend_on_the_number_of_threads(encoder: SentenceEncoder) -> None:
    before = torch.get_num_threads()
    found = []
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        found.append(np.stack([one.vector for one in encoder.encode(TEXTS)]))
        assert torch.get_num_threads() == threads
    torch.set_num_threads(before)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_equal_texts_are_encoded_once(encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    whole = encoder._read

    def counted(rows: list[list[int]]) -> object:
        seen.append(len(rows))
        return whole(rows)

    monkeypatch.setattr(encoder, "_read", counted)
    told: list[tuple[int, int]] = []
    found = encoder.encode([*TEXTS, *TEXTS, TEXTS[0]], lambda done, total: told.append((done, total)))
    assert sum(seen) == len(TEXTS)
    assert told[-1] == (len(TEXTS), len(TEXTS))
    assert [one.truncated for one in found] == [False] * 6 + [True] + [False] * 6 + [True, False]
    for one, again in zip(found, found[len(TEXTS) :], strict=False):
        assert np.array_equal(one.vector, again.vector)


def test_truncation_is_told(encoder: SentenceEncoder) -> None:
    told = [one.truncated for one in encoder.encode(TEXTS)]
    assert told == [False, False, False, False, False, False, True]
    limit = encoder.max_length - 2  # beside [CLS] and [SEP]
    fits, longer = encoder.encode(["sun " * limit, "sun " * (limit + 1)])
    assert (fits.truncated, longer.truncated) == (False, True)
    assert np.array_equal(fits.vector, longer.vector)


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
