"""The converter of language models, with a tiny Llama whose weights have two bits and whose tokenizer adds a space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from mars_score.lm.causal import LanguageModel, Llama
from mars_score.models.fetch import CONVERTERS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

gguf = pytest.importorskip("gguf")

SIZE = 256
"""A block of IQ2_XXS has as many weights."""
GRID = ([8] * 8, [43] + [8] * 7, [25, 25] + [8] * 6, [8, 43] + [8] * 6)
"""The first rows of the table that eight weights are looked up in."""
SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{number:02X}>" for number in range(256)]
PIECES = ["▁t", "he", "▁the", "▁a", "an", "nd", "▁and", ",▁", "▁", *"abcdehnst,.▁'"]
TOKENS = list(dict.fromkeys([*SPECIAL, *BYTES, *PIECES]))


def blocks(rows: int, random: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Rows of one block each: the bytes of the file, and the weights that they stand for."""
    data, weights = bytearray(), np.zeros((rows, SIZE), np.float32)
    for row in range(rows):
        scale = np.float16(random.uniform(0.01, 0.1))
        data += scale.tobytes()
        for part in range(8):
            indexes, signs = random.integers(0, len(GRID), 4), random.integers(0, 128, 4)
            factor = int(random.integers(0, 16))
            packed = factor << 28 | sum(int(sign) << 7 * place for place, sign in enumerate(signs))
            data += bytes(indexes.tolist()) + packed.to_bytes(4, "little")
            for place, (index, sign) in enumerate(zip(indexes, signs, strict=True)):
                # Seven signs are stored; the eighth makes the number of minus signs even.
                minus = [bool(sign >> bit & 1) for bit in range(7)]
                minus.append(sum(minus) % 2 == 1)
                at = 32 * part + 8 * place
                weights[row, at : at + 8] = [
                    float(scale) * (0.5 + factor) / 4 * (-value if negative else value)
                    for value, negative in zip(GRID[index], minus, strict=True)
                ]
    return np.frombuffer(bytes(data), np.uint8).reshape(rows, -1), weights


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder that the converter makes, and the weights that it has to hold."""
    folder = tmp_path_factory.mktemp("gguf")
    source, target = folder / "model.gguf", folder / "model"
    target.mkdir()
    writer, random, expected = gguf.GGUFWriter(source, "llama"), np.random.default_rng(5), {}
    writer.add_context_length(64)
    writer.add_embedding_length(SIZE)
    writer.add_block_count(1)
    writer.add_feed_forward_length(SIZE)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(SIZE // 4)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(TOKENS)
    writer.add_token_scores([float(-number) for number in range(len(TOKENS))])
    writer.add_token_types([2, 3, 3] + [6] * len(BYTES) + [1] * (len(TOKENS) - 3 - len(BYTES)))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    shapes = {"attn_q": SIZE, "attn_k": 128, "attn_v": 128, "attn_output": SIZE}
    shapes |= dict.fromkeys(("ffn_gate", "ffn_up", "ffn_down"), SIZE)
    for name, rows in shapes.items():
        data, expected[name] = blocks(rows, random)
        writer.add_tensor(f"blk.0.{name}.weight", data, raw_dtype=gguf.GGMLQuantizationType.IQ2_XXS)
    for name in ("token_embd", "output"):
        expected[name] = random.normal(0, 0.3, (len(TOKENS), SIZE)).astype(np.float32)
        writer.add_tensor(f"{name}.weight", expected[name])
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(SIZE, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    CONVERTERS["gguf"](source, target)
    return target, expected


def test_weights_of_two_bits_become_the_numbers_they_stand_for(
    converted: tuple[Path, dict[str, Any]],
) -> None:
    folder, expected = converted
    found = load_file(folder / "model.safetensors")
    assert {tensor.dtype for tensor in found.values()} == {np.dtype(np.float32)}
    for name, key in {
        "attn_v": "model.layers.0.self_attn.v_proj", "attn_output": "model.layers.0.self_attn.o_proj",
        "ffn_gate": "model.layers.0.mlp.gate_proj", "ffn_up": "model.layers.0.mlp.up_proj",
        "ffn_down": "model.layers.0.mlp.down_proj", "token_embd": "model.embed_tokens", "output": "lm_head",
    }.items():  # fmt: skip
        assert np.array_equal(found[f"{key}.weight"], expected[name]), name


def test_it_loads_as_our_own_network(converted: tuple[Path, dict[str, Any]]) -> None:
    model = LanguageModel(str(converted[0]))
    assert isinstance(model.network, Llama)
    assert model.start == TOKENS.index("<s>")
    assert model.kv_shape == (1, 2, 64)


@pytest.mark.parametrize(
    "text", ["the and", " the", ", and", "and,", "\n", "\nthe", "'s", ".", "the\n\nand", "é", " ", ""]
)
def test_a_piece_of_text_is_encoded_as_it_stands(text: str, converted: tuple[Path, dict[str, Any]]) -> None:
    model = LanguageModel(str(converted[0]))
    ids = model.encode(text)
    assert b"".join(_bytes(TOKENS[token]) for token in ids).decode() == text
    if text != "é":  # its bytes are tokens each, which are no text alone
        assert model.decode(ids) == text


def _bytes(token: str) -> bytes:
    return bytes([int(token[3:-1], 16)]) if token in BYTES else token.replace("▁", " ").encode()
