"""The package's own BERT, Llama and tokenizer against those of transformers: equal to the last bit."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import torch
import transformers

from mars_score.encoders.network import Network
from mars_score.encoders.products import freeze_linears
from mars_score.encoders.sentence import Bert
from mars_score.lm.attention import Continuation, Prefill
from mars_score.lm.causal import HubNetwork, Llama
from mars_score.models.store import ModelStore
from mars_score.models.tokenizer import FileTokenizer, quiet

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from torch import Tensor

CPU = torch.device("cpu")
DTYPES = ["float32", "bfloat16"]
SMALL = {
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "max_position_embeddings": 128,
}  # fmt: skip
TEXTS = [
    "The ferry was late.", "", "  two  spaces\n", "Caf\u00e9 na\u00efve \u4e2d\u6587 don't 12,000.5%",
    "[MASK] <|im_end|> x", "word " * 700,
]  # fmt: skip


def saved(model: Any, folder: Path) -> Path:
    """A folder with random weights, which own networks read; the tokenizer's files are only looked for."""
    torch.manual_seed(4)
    with quiet():
        model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text("{}")
    return folder


@pytest.mark.numeric
@pytest.mark.parametrize("dtype", DTYPES)
def test_bert_is_that_of_transformers(tmp_path: Path, dtype: str) -> None:
    folder = saved(transformers.BertModel(transformers.BertConfig(**SMALL)), tmp_path)
    own = Bert.load(folder, device=CPU, dtype=dtype)
    assert own is not None
    with quiet():
        other = transformers.BertModel.from_pretrained(folder, dtype=getattr(torch, dtype)).eval()
    freeze_linears(other.requires_grad_(requires_grad=False))
    rows = [[5, 9, 7, 8], [6, 8, 4, 3, 2, 1], [9]]
    ours, theirs = Network(own).read(rows, all_layers=True), Network(other).read(rows, all_layers=True)
    assert len(ours.layers) == len(theirs.layers) == 3
    assert all(torch.equal(a, b) for a, b in zip(ours.layers, theirs.layers, strict=True))


@pytest.mark.numeric
def test_mpnet_is_that_of_transformers(tmp_path: Path) -> None:
    config = transformers.MPNetConfig(**SMALL | {"max_position_embeddings": 512})
    folder = saved(transformers.MPNetModel(config, add_pooling_layer=False), tmp_path)
    own = Bert.load(folder, device=CPU, dtype="float32")
    assert own is not None
    with quiet():
        other = transformers.MPNetModel.from_pretrained(folder, add_pooling_layer=False).eval()
    rows = [
        [5, 9, 7, 8],
        [index % 50 + 5 for index in range(300)],
        [9],
    ]  # the second has every kind of distance
    ours = Network(own).read(rows)
    with torch.no_grad():
        for row, start in zip(rows, ours.starts, strict=True):
            ids = torch.tensor([row])
            wanted = other(input_ids=ids).last_hidden_state[0]  # (L, H)
            torch.testing.assert_close(
                ours.layers[-1][start : start + len(row)], wanted, atol=2e-6, rtol=1e-5
            )
            torch.testing.assert_close(own(ids).last_hidden_state[0], wanted, atol=2e-6, rtol=1e-5)


@pytest.mark.numeric
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_llama_is_that_of_transformers(tmp_path: Path, dtype: str, tied: bool) -> None:
    config = transformers.LlamaConfig(num_key_value_heads=2, tie_word_embeddings=tied, **SMALL)
    folder = saved(transformers.LlamaForCausalLM(config), tmp_path)
    own = Llama.load(folder, device=CPU, dtype=dtype)
    assert own is not None
    theirs = HubNetwork(str(folder), device=CPU, dtype=dtype, pack=False)
    freeze_linears(theirs.model)
    for ours in (own, own.pack()):
        states, other = passed(ours, ours.embeddings.dtype), passed(theirs, theirs.embeddings.dtype)
        if ours is own:
            assert all(torch.equal(a, b) for a, b in zip(states, other, strict=True))
            assert torch.equal(ours.head(states[1]), theirs.head(other[1]))
        torch.testing.assert_close(states[1], other[1])


def passed(network: Any, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Two contexts, then two texts after the first of them."""
    stores = [torch.zeros(2, 2, 2, length, 8, dtype=dtype) for length in (5, 11)]
    places = torch.cat([torch.arange(5), torch.arange(11)])
    with torch.no_grad():
        contexts = network(torch.arange(16) + 3, places, Prefill([5, 11], stores))
        view = Continuation([stores[0], stores[0]], [3, 2])
        return contexts, network(torch.arange(5) + 30, torch.tensor([5, 6, 7, 5, 6]), view)


@pytest.mark.parametrize(
    ("name", "value"), [("hidden_act", "relu"), ("model_type", "roberta"), ("is_decoder", True)]
)
def test_other_makes_are_left_to_transformers(tmp_path: Path, name: str, value: object) -> None:
    folder = saved(transformers.BertModel(transformers.BertConfig(**SMALL)), tmp_path)
    text = (folder / "config.json").read_text()
    lines = [line for line in text.splitlines() if f'"{name}"' not in line]
    lines[1:1] = [f'"{name}": {str(value).lower() if value is True else chr(34) + str(value) + chr(34)},']
    (folder / "config.json").write_text("\n".join(lines))
    assert Bert.load(folder, device=CPU, dtype="float32") is None


@pytest.mark.models
@pytest.mark.parametrize("name", ["minilm-l6", "smollm2-135m"])
def test_tokens_are_those_of_transformers(name: str) -> None:
    folder = ModelStore().ensure(name)
    assert FileTokenizer.fits(folder)
    own, theirs = FileTokenizer(folder), transformers.AutoTokenizer.from_pretrained(folder)
    for special in (True, False):
        wanted = theirs(TEXTS, add_special_tokens=special, verbose=False).input_ids
        assert own(TEXTS, add_special_tokens=special).input_ids == wanted
        assert [own(text, add_special_tokens=special).input_ids for text in TEXTS] == wanted
        places = {"add_special_tokens": special, "return_offsets_mapping": True}
        wanted = theirs(TEXTS, verbose=False, **places).offset_mapping
        assert own(TEXTS, **places).offset_mapping == wanted
        assert [own(text, **places).offset_mapping for text in TEXTS] == wanted
    long = TEXTS[-1]
    wanted = theirs(long, truncation=True, max_length=40).input_ids
    assert own(long, truncation=True, max_length=40).input_ids == wanted
    assert own(long).input_ids == theirs(long, verbose=False).input_ids
    for texts in (TEXTS, long):
        places = theirs(texts, return_offsets_mapping=True, verbose=False).offset_mapping
        assert own(texts, return_offsets_mapping=True).offset_mapping == places
    assert len(own) == len(theirs)
    assert set(own.all_special_ids) == set(theirs.all_special_ids)
    for fact in ("bos_token_id", "eos_token_id", "unk_token_id", "model_max_length"):
        assert getattr(own, fact) == getattr(theirs, fact)
    rows = [[7, number] for number in range(0, len(own), 97)]
    assert own.batch_decode(rows) == theirs.batch_decode(rows, clean_up_tokenization_spaces=False)
    assert [own.convert_ids_to_tokens(i) for i in range(200)] == theirs.convert_ids_to_tokens(range(200))


@pytest.mark.models
def test_default_models_need_no_transformers() -> None:
    """What makes a first score slow: the library, its compiler and what it needs to talk to other machines."""
    code = """
import sys
from mars_score import MarsScorer
scorer = MarsScorer(cache=None, likelihood=0.1)
scorer.score(candidates=["It rained."], references=["It rained all day."], contexts=["We stayed at home."])
heavy = {"transformers", "torch._dynamo", "torch.distributed.tensor", "sympy", "pandas"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
