"""Sentence encodings as Sentence-BERT defines them: a transformer, then the pooling and layers that its files name.

The transformer of the default encoder is this package's own, `Bert`; operations and their order are those of
transformers, so that the numbers are too. So is MPNet's, which transformers cannot read in packs. A text's vector does
not depend on the other texts of the call, to the last bit: :mod:`.network` says how.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from mars_score.encoders.base import Encoding
from mars_score.encoders.network import Network, attend, side_by_side
from mars_score.encoders.products import Linear, freeze_linears
from mars_score.errors import ModelError
from mars_score.models.tokenizer import load_tokenizer, load_weights, quiet, settings_of
from mars_score.progress import Progress, silent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor


BERT_SETTINGS: dict[str, tuple[object, ...]] = {
    "hidden_act": ("gelu",),
    "position_embedding_type": ("absolute", None),
    "is_decoder": (False, None),
    "add_cross_attention": (False, None),
    "quantization_config": (None,),
}
"""Settings that change what is computed, and the values that are known here."""
MPNET_NAMES = {
    "attn.q.": "self.query.", "attn.k.": "self.key.", "attn.v.": "self.value.", "attn.o.": "output.dense.",
    "attention.LayerNorm.": "attention.output.LayerNorm.",
}  # fmt: skip
"""What MPNet calls a layer's weights, and BERT."""
FARTHEST = 128
"""Tokens that are farther apart are all the same to MPNet."""


class States(NamedTuple):
    """What the network gives, by the names of transformers."""

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...] | None


class Bert(nn.Module):  # type: ignore[misc]  # torch's types are not followed
    """BERT as its authors describe it, frozen: word pieces in, states out; texts may lie one after another."""

    takes_packs = True

    def __init__(self, tensors: Mapping[str, Tensor], settings: Mapping[str, Any]) -> None:
        """Take the weights of all layers."""
        super().__init__()
        self.config = SimpleNamespace(**settings)
        self.tables = [
            tensors[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "token_type", "position")
        ]
        self.norm = _Norm(tensors, "embeddings.LayerNorm", settings["layer_norm_eps"])
        self.layers = nn.ModuleList(
            _Layer(tensors, f"encoder.layer.{number}.", settings)
            for number in range(settings["num_hidden_layers"])
        )
        self.device = self.tables[0].device
        self.distances = tensors.get("encoder.relative_attention_bias.weight")  # (B, heads)

    @classmethod
    def load(cls, folder: Path, *, device: torch.device, dtype: str) -> Bert | None:
        """Load a folder that holds a BERT or an MPNet; None for an encoder of another architecture."""
        settings = settings_of(folder, "bert", BERT_SETTINGS) or settings_of(folder, "mpnet", BERT_SETTINGS)
        if settings is None:
            return None
        make = settings["model_type"]
        tensors = {
            name.removeprefix(f"{make}."): tensor.to(device, getattr(torch, dtype))
            for name, tensor in load_weights(folder).items()
            if tensor.is_floating_point()
        }
        return cls(_as_bert(tensors) if make == "mpnet" else tensors, settings)

    def forward(
        self, input_ids: Tensor, position_ids: Tensor | None = None, *,
        groups: Sequence[tuple[int, int]] | None = None, output_hidden_states: bool = False,
    ) -> States:  # fmt: skip
        """Read (N, L) pieces; or, with `groups`, (1, T): texts one after another."""
        words, kinds, places = self.tables
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[1], device=self.device)[None]
        states = F.embedding(input_ids, words) + kinds[0] + F.embedding(position_ids, places)
        biases = None
        if self.distances is not None:
            lengths = [input_ids.shape[1]] if groups is None else [length for _, length in groups]
            biases = [_bias(self.distances, length) for length in lengths]
        seen = {"groups": groups, "biases": biases}
        layers = [self.norm(states)]
        for layer in self.layers:
            layers.append(layer(layers[-1], seen))
        return States(layers[-1], tuple(layers) if output_hidden_states else None)


def _as_bert(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """MPNet's weights by the names of BERT; it has two positions that no text uses, and texts of one kind."""
    for theirs, ours in MPNET_NAMES.items():
        tensors = {name.replace(theirs, ours): tensor for name, tensor in tensors.items()}
    places = tensors["embeddings.position_embeddings.weight"]  # (P, H)
    kinds = {"embeddings.token_type_embeddings.weight": places.new_zeros(1, places.shape[1])}
    return {**tensors, **kinds, "embeddings.position_embeddings.weight": places[2:]}


def _bias(distances: Tensor, length: int) -> Tensor:
    """(B, heads) -> (1, heads, L, L): what is added to the attention between two tokens, by their distance.

    The first half of the table is for tokens further left, the other for those further right. In each, half of the
    entries are for one distance, the others for ever more.
    """
    half = len(distances) // 2
    exact = half // 2
    places = torch.arange(length, device=distances.device)
    steps = places - places[:, None]  # (L, L)
    far = steps.abs()
    more = (far.float() / exact).log() / math.log(FARTHEST / exact) * (half - exact)
    coarse = (exact + more.clamp_min(0).long()).clamp_max(half - 1)
    return distances[torch.where(far < exact, far, coarse) + half * (steps > 0)].permute(2, 0, 1)[None]


class _Layer(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self, tensors: Mapping[str, Tensor], prefix: str, settings: Mapping[str, Any]) -> None:
        super().__init__()
        names = (
            "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
            "intermediate.dense", "output.dense",
        )  # fmt: skip
        self.query, self.key, self.value, self.mix, self.widen, self.narrow = (
            Linear(tensors[f"{prefix}{name}.weight"], tensors[f"{prefix}{name}.bias"]) for name in names
        )
        epsilon = settings["layer_norm_eps"]
        self.attention_norm = _Norm(tensors, f"{prefix}attention.output.LayerNorm", epsilon)
        self.norm = _Norm(tensors, f"{prefix}output.LayerNorm", epsilon)
        self.heads = settings["num_attention_heads"]

    def forward(self, states: Tensor, seen: Mapping[str, Any]) -> Tensor:
        query, key, value = (
            product(states).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (N, heads, L, D)
            for product in (self.query, self.key, self.value)
        )
        mixed, _ = attend(self, query, key, value, scaling=query.shape[-1] ** -0.5, **seen)
        states = self.attention_norm(self.mix(mixed.flatten(2)) + states)
        normed: Tensor = self.norm(self.narrow(F.gelu(self.widen(states))) + states)
        return normed


class _Norm(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self, tensors: Mapping[str, Tensor], name: str, epsilon: float) -> None:
        super().__init__()
        self.weight, self.bias, self.epsilon = tensors[f"{name}.weight"], tensors[f"{name}.bias"], epsilon

    def forward(self, states: Tensor) -> Tensor:
        return F.layer_norm(states, states.shape[-1:], self.weight, self.bias, self.epsilon)


LONGEST = 512
"""Tokens of the longest text, whatever the encoder can hold."""
POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"Identity": lambda vector: vector, "Tanh": torch.tanh}
"""What may follow a dense layer."""


class SentenceEncoder:
    """Any Hugging Face encoder; pooling and maximum length from the sentence-transformers files if there."""

    def __init__(self, location: str, *, device: str = "cpu", dtype: str = "float32") -> None:
        """Load weights (safetensors only) and tokenizer from a folder."""
        folder = Path(location)
        self.device = torch.device(device)
        self.tokenizer = load_tokenizer(folder)
        bert = Bert.load(folder, device=self.device, dtype=dtype)
        self.model: Any = load_from_hub(location, self.device, dtype) if bert is None else bert
        self.prompt = _prompt(folder)
        """What every text begins with: some encoders were trained to be told what their vectors are for."""
        self.pooling = _pooling(folder, self.prompt)
        self.dense = [_dense(folder / path, self.device) for path in _dense_layers(folder)]
        self.max_length = min(_max_length(folder, self.tokenizer, self.model.config), LONGEST)
        self.network = self._network()

    def _network(self) -> Network:
        return Network(self.model)

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode each text, equal texts once, many in one pass through the network."""
        unique = list(dict.fromkeys(texts))
        rows, cut = self._tokens(unique)
        together = self.network.together([len(row) for row in rows])
        by_text: dict[str, Encoding] = {}
        work = side_by_side(lambda batch: self._read([rows[i] for i in batch]), together)
        for batch, encodings in zip(together, work, strict=True):
            for i, encoding in zip(batch, encodings, strict=True):
                blank = not unique[i].strip()
                by_text[unique[i]] = (
                    Encoding(encoding.vector * 0, cut[i]) if blank else replace(encoding, truncated=cut[i])
                )
            progress(len(by_text), len(unique))
        return [by_text[text] for text in texts]

    def _tokens(self, texts: list[str]) -> tuple[list[list[int]], list[bool]]:
        """The tokens of each text that the encoder takes, and whether some were cut off."""
        if not texts:
            return [], []
        prompted = [self.prompt + text for text in texts]
        rows: list[list[int]] = self.tokenizer(prompted, verbose=False).input_ids
        cut = [len(row) > self.max_length for row in rows]
        for i in (i for i, longer in enumerate(cut) if longer):
            # The tokenizer knows which tokens must stay at the end.
            rows[i] = self.tokenizer(prompted[i], truncation=True, max_length=self.max_length).input_ids
        size, unknown = int(self.model.config.vocab_size), self.tokenizer.unk_token_id
        if (
            len(self.tokenizer) > size
        ):  # a tokenizer may know signs, such as that of an image, that the network does not
            rows = [[token if token < size else unknown for token in row] for row in rows]
        return rows, cut

    def _read(self, rows: list[list[int]]) -> list[Encoding]:
        """Encode rows that go through the network together."""
        states = self.network.read(rows)
        return [Encoding(vector) for vector in self._pooled(states.layers[-1], states.starts, rows)]

    def _pooled(
        self, states: Tensor, starts: Sequence[int], rows: Sequence[Sequence[int]]
    ) -> list[NDArray[np.float32]]:
        """(T, H) -> for each row a vector (H,) of length 1; zeros for one without a token."""
        with torch.inference_mode():
            pooled = [
                _pool(states[start : start + len(row)].float(), self.pooling)
                for start, row in zip(starts, rows, strict=True)
            ]
            for layer in self.dense:  # each text alone, as the height of a product may show in its last bit
                pooled = [layer(vector) for vector in pooled]
            return list(F.normalize(torch.stack(pooled), dim=-1).cpu().numpy())  # (N, H)


def load_from_hub(location: str, device: torch.device, dtype: str) -> Any:
    """Load an encoder of any architecture that transformers knows."""
    from transformers import AutoModel

    with quiet():
        model = AutoModel.from_pretrained(
            location, dtype=getattr(torch, dtype), use_safetensors=True, trust_remote_code=False
        )
    model = model.eval().requires_grad_(requires_grad=False).to(device)
    freeze_linears(model)
    return model


def _pool(states: Tensor, kind: str) -> Tensor:
    """(L, H) -> (H,)."""
    if not len(states):
        return states.new_zeros(states.shape[1])
    if kind == "cls":
        return states[0]
    return states.amax(0) if kind == "max" else states.mean(0)


def _modules(folder: Path) -> list[tuple[str, str]]:
    """Kind and folder of the modules that sentence-transformers makes the encoder of; none if it is not of its make."""
    path = folder / "modules.json"
    listed = json.loads(path.read_text("utf-8")) if path.is_file() else []
    modules = [(str(module["type"]).rsplit(".", 1)[-1], str(module["path"])) for module in listed]
    kinds = [kind for kind, _ in modules if kind not in ("Dropout", "Normalize")]
    if kinds and (kinds[:2] != ["Transformer", "Pooling"] or set(kinds[2:]) - {"Dense"}):
        raise ModelError(
            f"{path}: an encoder of {', '.join(kinds)} is not supported\n"
            "  remedy: name one that is a Transformer with Pooling, and Dense layers if need be"
        )
    return modules


def _dense_layers(folder: Path) -> list[str]:
    return [path for kind, path in _modules(folder) if kind == "Dense"]


def _dense(folder: Path, device: torch.device) -> Callable[[Tensor], Tensor]:
    """A dense layer: (in,) -> (out,)."""
    from safetensors.torch import load_file

    settings = json.loads((folder / "config.json").read_text("utf-8"))
    name = str(settings.get("activation_function", "torch.nn.modules.activation.Tanh")).rsplit(".", 1)[-1]
    if name not in ACTIVATIONS or settings.get("use_residual"):
        raise ModelError(
            f"{folder}: a dense layer with {name}{' and a residual' * bool(settings.get('use_residual'))} is not "
            f"supported\n  remedy: name an encoder whose dense layers have {' or '.join(ACTIVATIONS)} alone"
        )
    tensors = {
        key: tensor.float().to(device) for key, tensor in load_file(folder / "model.safetensors").items()
    }
    weight, bias = tensors["linear.weight"], tensors.get("linear.bias")
    return lambda vector: ACTIVATIONS[name](F.linear(vector, weight, bias))


def _prompt(folder: Path) -> str:
    """The prompt that the files name as the usual one, or else as the one for similarity of sentences."""
    path = folder / "config_sentence_transformers.json"
    settings = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    name = settings.get("default_prompt_name") or "STS"
    return str((settings.get("prompts") or {}).get(name, ""))


def _pooling(folder: Path, prompt: str) -> str:
    """The pooling that the model's files name; the mean where they name none (as the paper)."""
    path = folder / dict(_modules(folder)).get("Pooling", "1_Pooling") / "config.json"
    if not path.is_file():
        return "mean"
    settings = json.loads(path.read_text("utf-8"))
    # Newer files name the mode, older ones have a switch for each.
    named = settings.get("pooling_mode")
    chosen = [mode for mode, on in settings.items() if on is True and mode.startswith("pooling_mode")]
    modes = [POOLINGS.get(mode) for mode in chosen] if named is None else [named]
    if len(modes) != 1 or modes[0] not in POOLINGS.values():
        raise ModelError(
            f"{path}: pooling {named or chosen} is not supported; use an encoder with {', '.join(POOLINGS)}"
        )
    if prompt and settings.get("include_prompt") is False:
        raise ModelError(
            f"{path}: pooling without the prompt is not supported; use an encoder that pools all tokens"
        )
    return str(modes[0])


def _max_length(folder: Path, tokenizer: Any, config: Any) -> int:
    """The longest text that the encoder was made for."""
    path = folder / "sentence_bert_config.json"
    if path.is_file():
        length = json.loads(path.read_text("utf-8")).get("max_seq_length")
        if length:
            return int(length)
    # RoBERTa-like models start counting positions after the padding index.
    positions = int(getattr(config, "max_position_embeddings", 512)) - 2
    return min(int(tokenizer.model_max_length), positions)
