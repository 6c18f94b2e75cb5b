"""The close reader beside the sentence encoder that it is, and against itself in other company."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from mars_score.config import ScoringConfig
from mars_score.encoders.base import Encoding, EncodingMemory
from mars_score.encoders.sentence import SentenceEncoder
from mars_score.encoders.token_level import PairedEncoder, TokenLevelEncoder
from mars_score.errors import ModelError
from mars_score.mars.models import ModelRegistry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mars_score.encoders.base import TokenReading
    from mars_score.models.store import ModelStore

LONG = "one two three four five " * 80
TEXTS = [
    "A heron stood in the shallow end of the canal.",
    "Rain.",
    "The committee will meet again in March, when the figures for the winter are known.",
    "Он купил хлеб и молоко.",
    "🙂🙃 ok",
    "Antidisestablishmentarianism, unhyphenatable.",
    "?!...",
    LONG,
]


@pytest.fixture(scope="module")
def folder(store: ModelStore) -> Path:
    return store.ensure("minilm-l6")


@pytest.fixture(scope="module")
def plain(folder: Path) -> SentenceEncoder:
    return SentenceEncoder(str(folder))


@pytest.fixture(scope="module")
def reader(folder: Path) -> TokenLevelEncoder:
    return TokenLevelEncoder(str(folder))


def read(reader: TokenLevelEncoder, text: str) -> TokenReading:
    (found,) = reader.encode([text])
    assert found.close is not None
    return found.close


def same(one: Encoding, other: Encoding) -> bool:
    """Whether two encodings are equal to the last bit."""
    if not np.array_equal(one.vector, other.vector) or one.truncated != other.truncated:
        return False
    if one.close is None or other.close is None:
        return one.close is other.close
    return (
        np.array_equal(one.close.vectors, other.close.vectors)
        and np.array_equal(one.close.weights, other.close.weights)
        and one.close.fluency == other.close.fluency
    )


@pytest.mark.numeric
def test_whole_texts_are_encoded_as_by_the_sentence_encoder_to_the_last_bit(
    reader: TokenLevelEncoder, plain: SentenceEncoder
) -> None:
    texts = [*TEXTS, "", " \n"]
    for text, ours, theirs in zip(texts, reader.encode(texts), plain.encode(texts), strict=True):
        assert np.array_equal(ours.vector, theirs.vector), text
        assert ours.truncated == theirs.truncated, text
        assert theirs.close is None


@pytest.mark.numeric
def test_a_reading_does_not_depend_on_its_company_to_the_last_bit(reader: TokenLevelEncoder) -> None:
    crowd = [f"{text} {number}" for number in range(25) for text in TEXTS[:3]] + TEXTS
    together = dict(zip(crowd, reader.encode(crowd), strict=True))
    shuffled = random.Random(5).sample(crowd, len(crowd))
    for text, one in zip(shuffled, reader.encode(shuffled), strict=True):
        assert same(one, together[text]), text
    for text in TEXTS:
        assert same(reader.encode([text])[0], together[text]), text


@pytest.mark.numeric
def test_nor_does_it_depend_on_the_number_of_threads(reader: TokenLevelEncoder) -> None:
    before = torch.get_num_threads()
    found = []
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        found.append(reader.encode(TEXTS))
    torch.set_num_threads(before)
    for one, *others in zip(*found, strict=True):
        assert all(same(one, other) for other in others)


@pytest.mark.parametrize("text", TEXTS)
def test_a_reading_is_one_unit_vector_and_one_weight_a_piece(text: str, reader: TokenLevelEncoder) -> None:
    pieces = reader.tokenizer(text, add_special_tokens=False).input_ids
    pieces = pieces[: reader.max_length - 2]  # beside [CLS] and [SEP]
    found = read(reader, text)
    assert found.vectors.shape == (len(pieces), reader.model.config.hidden_size)
    assert found.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found.vectors.astype(np.float64), axis=1), 1, atol=1e-6)
    assert found.weights.shape == (len(pieces),)
    assert found.weights.sum() == pytest.approx(1, abs=1e-5)
    assert found.fluency < 0


@pytest.mark.numeric
def test_the_vectors_are_the_states_of_the_middle_layer(reader: TokenLevelEncoder) -> None:
    text = "A heron stood in the canal."
    ids = torch.tensor([reader.tokenizer(text).input_ids])
    with torch.inference_mode():
        states = reader.model(input_ids=ids, output_hidden_states=True).hidden_states[3][0, 1:-1]
    expected = (states / states.norm(dim=-1, keepdim=True)).numpy()
    np.testing.assert_allclose(read(reader, text).vectors, expected, atol=1e-6)


@pytest.mark.numeric
def test_those_of_an_encoder_without_a_head_are_of_the_last_layer(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "encoder"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("manifest*"))
    weights = load_file(folder / "model.safetensors")
    save_file(weights, copy / "model.safetensors", {"note": "another file with the same numbers"})
    other = TokenLevelEncoder(str(copy), fluency=False)
    assert other.head is None
    text = "A heron stood in the canal."
    ids = torch.tensor([other.tokenizer(text).input_ids])
    with torch.inference_mode():
        states = other.model(input_ids=ids).last_hidden_state[0, 1:-1]
    expected = (states / states.norm(dim=-1, keepdim=True)).numpy()
    np.testing.assert_allclose(read(other, text).vectors, expected, atol=1e-6)


def test_blank_texts_have_no_reading(reader: TokenLevelEncoder) -> None:
    for text in ("", "  \n", "\N{ZERO WIDTH SPACE}"):
        assert reader.encode([text])[0].close is None
    assert reader.encode([]) == []


def test_marks_and_unknown_characters_are_read_too(reader: TokenLevelEncoder) -> None:
    assert len(read(reader, "?!...").weights) == 5
    assert read(reader, "🙂").weights.tolist() == [1.0]
    # A word outweighs what the encoder does not know, by far.
    assert read(reader, "🙂 heron").weights[1] > 0.9


def test_of_a_long_text_the_beginning_is_read(reader: TokenLevelEncoder) -> None:
    limit = reader.max_length - 2
    fits, longer = reader.encode(["sun " * limit, "sun " * (limit + 1)])
    assert (fits.truncated, longer.truncated) == (False, True)
    assert fits.close is not None
    assert longer.close is not None
    assert len(fits.close.weights) == len(longer.close.weights) == limit
    assert np.array_equal(fits.close.vectors, longer.close.vectors)
    assert fits.close.fluency == longer.close.fluency


def test_another_encoder_is_refused_with_the_remedy(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "encoder"
    shutil.copytree(folder, copy)
    TokenLevelEncoder(str(copy))  # the same weights, wherever they are
    with (copy / "model.safetensors").open("ab") as file:
        file.write(b"\0")
    for other in (copy, tmp_path / "nowhere"):
        with pytest.raises(
            ModelError, match=r"no fluency head was trained(?s:.*)remedy: leave reader=minilm-l6"
        ):
            TokenLevelEncoder(str(other))


class Lengths:
    """Encodes a text as its length; remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], progress: object = None) -> list[Encoding]:
        self.asked += texts
        return [Encoding(np.array([len(text)], np.float32), truncated="!" in text) for text in texts]


def test_any_encoder_goes_with_the_reader(reader: TokenLevelEncoder) -> None:
    told: list[tuple[int, int]] = []
    lengths = Lengths()
    texts = [*TEXTS, "", TEXTS[0]]
    found = PairedEncoder(lengths, reader).encode(texts, lambda done, total: told.append((done, total)))
    assert lengths.asked == texts
    assert told[-1] == (len(TEXTS) + 1, len(TEXTS) + 1)
    for text, one, close in zip(texts, found, reader.encode(texts), strict=True):
        assert one.vector.tolist() == [len(text)]
        assert one.truncated == ("!" in text)
        assert same(Encoding(close.vector, close.truncated, one.close), close)


class TestParts:
    def test_one_network_reads_and_encodes(self, store: ModelStore) -> None:
        parts = ModelRegistry(store)
        found = parts.scoring_encoder(ScoringConfig())
        assert isinstance(found, TokenLevelEncoder)
        assert parts.scoring_encoder(ScoringConfig(words=0.0)) is found
        assert parts.scoring_encoder(ScoringConfig(fluency=0.0, match="recall")) is found

    def test_nothing_is_read_closely_for_the_formula_of_the_paper(self, store: ModelStore) -> None:
        found = ModelRegistry(store).scoring_encoder(ScoringConfig(words=0.0, fluency=0.0))
        assert type(found) is SentenceEncoder

    def test_another_encoder_stands_beside_the_reader(self, store: ModelStore, folder: Path) -> None:
        parts = ModelRegistry(store)
        found = parts.scoring_encoder(ScoringConfig(encoder=str(folder)))
        assert isinstance(found, PairedEncoder)
        assert type(found.encoder) is SentenceEncoder
        assert found.reader is parts.scoring_encoder(ScoringConfig())


def test_memory_counts_what_a_reading_takes(reader: TokenLevelEncoder) -> None:
    (found,) = reader.encode([LONG])
    assert found.close is not None
    bare, whole = EncodingMemory(), EncodingMemory()
    bare.keep(LONG, Encoding(found.vector))
    whole.keep(LONG, found)
    assert whole.size - bare.size == found.close.vectors.nbytes + found.close.weights.nbytes
    kept = whole.get(LONG)
    assert kept is not None
    assert same(kept, found)
    assert kept.close is not None
    assert kept.close.vectors.base is None, "it would keep the whole batch alive"
