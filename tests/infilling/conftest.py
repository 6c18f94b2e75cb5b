"""Tiny random models of three architectures with a tiny tokenizer: whole runs in a second or two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import AutoModelForCausalLM as Models
from transformers import Gemma3TextConfig, GPT2Config, LlamaConfig, PreTrainedTokenizerFast

from mars_score.lm.causal import LanguageModel
from mars_score.lm.masked import MaskedModel
from mars_score.models.tokenizer import quiet

from . import tiny_masked
from .cases import REQUESTS

if TYPE_CHECKING:
    from pathlib import Path

VOCABULARY = 480
ARCHITECTURES = {
    "llama": LlamaConfig(
        hidden_size=48, intermediate_size=96, num_hidden_layers=3, num_attention_heads=6, num_key_value_heads=2,
        vocab_size=VOCABULARY, max_position_embeddings=256, initializer_range=0.4, tie_word_embeddings=True,
    ),
    "gpt2": GPT2Config(
        n_embd=48, n_layer=3, n_head=4, vocab_size=VOCABULARY, n_positions=256, initializer_range=0.4,
        bos_token_id=0, eos_token_id=0,
    ),
    # A window of 12 tokens, so that contexts and templates reach beyond it.
    "gemma3": Gemma3TextConfig(
        hidden_size=48, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=1,
        head_dim=12, vocab_size=VOCABULARY, max_position_embeddings=256, initializer_range=0.4, sliding_window=12,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"], query_pre_attn_scalar=12,
        pad_token_id=1,  # its embedding is all zeros: not the start token's
    ),
}  # fmt: skip


def _tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer of its own, trained on the cases."""
    texts = [text for one in REQUESTS for text in (one.context, *(each.source for each in one.templates))]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts * 3, VOCABULARY, min_frequency=2, special_tokens=["<|end|>"])
    return PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, eos_token="<|end|>")


@pytest.fixture(scope="session", params=ARCHITECTURES)
def tiny_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small random model."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    torch.manual_seed(7)
    with quiet():
        Models.from_config(ARCHITECTURES[request.param]).save_pretrained(folder)
        _tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> LanguageModel:
    """The small model as the engine sees it."""
    return LanguageModel(str(tiny_folder), start_token=0)


@pytest.fixture(scope="module", params=tiny_masked.KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a tiny masked model, of each kind in turn."""
    path: Path = tmp_path_factory.mktemp(request.param)
    getattr(tiny_masked, request.param)(path)
    return path


@pytest.fixture(scope="module")
def model(folder: Path) -> MaskedModel:
    """The same, loaded."""
    return MaskedModel(str(folder))
