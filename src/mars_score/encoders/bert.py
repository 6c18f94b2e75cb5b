"""BERT as its authors describe it, for texts one behind the other in a pack; the default encoder is one.

Operations and their order are those of transformers, so that the numbers are too.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from mars_score.encoders.products import Linear
from mars_score.encoders.sequence_packing import attend
from mars_score.models.tokenizer import load_weights, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from torch import Tensor

KNOWN: dict[str, tuple[object, ...]] = {
    "hidden_act": ("gelu",),
    "position_embedding_type": ("absolute", None),
    "is_decoder": (False, None),
    "add_cross_attention": (False, None),
    "quantization_config": (None,),
}
"""Settings that change what is computed, and the values that are known here."""


class States(NamedTuple):
    """What the network gives, by the names of transformers."""

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...] | None


class Bert(nn.Module):  # type: ignore[misc]  # torch's types are not followed
    """A frozen encoder: word pieces in, states out."""

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

    @classmethod
    def load(cls, folder: Path, *, device: torch.device, dtype: str) -> Bert | None:
        """Load a folder that holds a BERT; None for an encoder of another make."""
        settings = settings_of(folder, "bert", KNOWN)
        if settings is None:
            return None
        tensors = {
            name.removeprefix("bert."): tensor.to(device, getattr(torch, dtype))
            for name, tensor in load_weights(folder).items()
            if tensor.is_floating_point()
        }
        return cls(tensors, settings)

    def forward(
        self, input_ids: Tensor, position_ids: Tensor | None = None, *,
        groups: Sequence[tuple[int, int]] | None = None, output_hidden_states: bool = False,
    ) -> States:  # fmt: skip
        """Read (N, L) pieces; or, with `groups`, (1, T): texts one behind the other."""
        words, kinds, places = self.tables
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[1], device=self.device)[None]
        states = F.embedding(input_ids, words) + kinds[0] + F.embedding(position_ids, places)
        layers = [self.norm(states)]
        for layer in self.layers:
            layers.append(layer(layers[-1], groups))
        return States(layers[-1], tuple(layers) if output_hidden_states else None)


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

    def forward(self, states: Tensor, groups: Sequence[tuple[int, int]] | None) -> Tensor:
        query, key, value = (
            product(states).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (N, heads, L, D)
            for product in (self.query, self.key, self.value)
        )
        mixed, _ = attend(self, query, key, value, groups=groups, scaling=query.shape[-1] ** -0.5)
        states = self.attention_norm(self.mix(mixed.flatten(2)) + states)
        normed: Tensor = self.norm(self.narrow(F.gelu(self.widen(states))) + states)
        return normed


class _Norm(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self, tensors: Mapping[str, Tensor], name: str, epsilon: float) -> None:
        super().__init__()
        self.weight, self.bias, self.epsilon = tensors[f"{name}.weight"], tensors[f"{name}.bias"], epsilon

    def forward(self, states: Tensor) -> Tensor:
        return F.layer_norm(states, states.shape[-1:], self.weight, self.bias, self.epsilon)
