"""The sentence encoder against sentence-transformers, and against itself in other company."""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
import tokenizers
import torch
import transformers
from safetensors.torch import save_file

from mars_score.encoders.base import cosine
from mars_score.encoders.network import LARGEST
from mars_score.encoders.sentence import SentenceEncoder
from mars_score.errors import ModelError
from mars_score.models.tokenizer import quiet

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


# Encoders of EmbeddingGemma's make: attention in both directions, a sliding window, a prompt, dense layers on top.

KINDS = ("Transformer", "Pooling", "Dense", "Dense", "Normalize")
FOLDERS = ("", "1_Pooling", "2_Dense", "3_Dense", "4_Normalize")


def save_json(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def save_dense(folder: Path, layer: torch.nn.Linear, activation: str) -> None:
    settings = {
        "in_features": layer.in_features,
        "out_features": layer.out_features,
        "bias": layer.bias is not None,
    }
    save_json(folder / "config.json", settings | {"activation_function": f"torch.nn.modules.{activation}"})
    save_file(
        {f"linear.{name}": value.data for name, value in layer.named_parameters()},
        folder / "model.safetensors",
    )


def tiny_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """One token a word; the last sign is unknown to the network, as EmbeddingGemma's sign of an image."""
    names = ["<pad>", "<eos>", "<bos>", "<unk>", *WORDS, ":", "rose", "<image>"]
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({name: i for i, name in enumerate(names)}, "<unk>")
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="<bos> $A <eos>", special_tokens=[("<bos>", 2), ("<eos>", 1)]
    )
    named = {"pad_token": "<pad>", "eos_token": "<eos>", "bos_token": "<bos>", "unk_token": "<unk>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=inner, model_max_length=64, **named)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    torch.manual_seed(4)
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(folder)
    transformers.Gemma3TextModel(
        transformers.Gemma3TextConfig(
            vocab_size=len(tokenizer) - 1, hidden_size=48, intermediate_size=64, head_dim=16, num_hidden_layers=2,
            num_attention_heads=3, num_key_value_heads=1, sliding_window=12, use_bidirectional_attention=True,
            layer_types=["sliding_attention", "full_attention"],
        )
    ).save_pretrained(folder)  # fmt: skip
    types = [f"sentence_transformers.models.{kind}" for kind in KINDS]
    listed = [{"path": path, "type": kind} for path, kind in zip(FOLDERS, types, strict=True)]
    save_json(folder / "modules.json", [{"idx": i, "name": str(i)} | each for i, each in enumerate(listed)])
    save_json(folder / "sentence_bert_config.json", {"max_seq_length": 64})
    save_json(folder / "1_Pooling" / "config.json", {"embedding_dimension": 48, "pooling_mode": "mean"})
    prompts = {"query": "sky ", "STS": "sea sky : "}
    save_json(folder / "config_sentence_transformers.json", {"prompts": prompts, "default_prompt_name": None})
    save_dense(folder / "2_Dense", torch.nn.Linear(48, 80, bias=False), "linear.Identity")
    save_dense(folder / "3_Dense", torch.nn.Linear(80, 8), "activation.Tanh")
    return folder


def test_prompt_dense_layers_and_window_as_in_sentence_transformers(tiny: Path) -> None:
    texts = ["red sun", "oak", "ice day rose " * 9, "sun sun rose sea " * 30]
    ours = SentenceEncoder(str(tiny))
    assert ours.network.takes_packs
    assert_same_as_sentence_transformers(tiny, ours, texts)


def assert_same_as_sentence_transformers(folder: Path, encoder: SentenceEncoder, texts: list[str]) -> None:
    """Vectors and their cosines, as of the prompt for the similarity of sentences."""
    with quiet():
        from sentence_transformers import SentenceTransformer

        library = SentenceTransformer(str(folder), device="cpu")
        library.max_seq_length = encoder.max_length
        theirs = library.encode(texts, prompt_name="STS", show_progress_bar=False)
    ours = np.stack([one.vector for one in encoder.encode(texts)])
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-5)


def test_a_sign_that_the_network_does_not_have_is_unknown(tiny: Path) -> None:
    sign, unknown = SentenceEncoder(str(tiny)).encode(["red <image>", "red <unk>"])
    assert np.array_equal(sign.vector, unknown.vector)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("modules.json", [{"type": "sentence_transformers.models.LSTM", "path": ""}], "an encoder of LSTM"),
        ("2_Dense/config.json", {"activation_function": "torch.nn.modules.activation.GELU"}, "GELU"),
        ("3_Dense/config.json", {"use_residual": True}, "a residual"),
        ("1_Pooling/config.json", {"pooling_mode": "lasttoken"}, "lasttoken"),
        ("1_Pooling/config.json", {"include_prompt": False}, "without the prompt"),
    ],
)
def test_what_is_not_supported_is_refused(
    file: str, change: object, message: str, tiny: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "encoder"
    shutil.copytree(tiny, copy)
    before = json.loads((copy / file).read_text())
    save_json(copy / file, before | change if isinstance(change, dict) else change)
    with pytest.raises(ModelError, match=message):
        SentenceEncoder(str(copy))


def test_embeddinggemma_as_in_sentence_transformers(store: ModelStore) -> None:
    if {each.entry.name: each.state for each in store.status()}["embeddinggemma-300m"] == "absent":
        pytest.skip(
            "embeddinggemma-300m is not in the store, and its terms are yours to accept: make embeddinggemma"
        )
    folder = store.path("embeddinggemma-300m")
    encoder = SentenceEncoder(str(folder))
    assert encoder.network.takes_packs
    assert encoder.prompt == "task: sentence similarity | query: "
    assert_same_as_sentence_transformers(folder, encoder, TEXTS[:5])
    near, far = encoder.encode(["Ein Reiher stand im Kanal.", "Le comité se réunira en mars."])
    heron = encoder.encode(TEXTS[:1])[0]
    assert cosine(heron, near) > cosine(heron, far) + 0.2
