"""Llama as its authors describe it, for packed tokens that a `View` shows each other; the default model is one.

Operations and their order are those of transformers, so that the numbers are too.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import nn

from mars_score.encoders.products import Linear
from mars_score.models.tokenizer import load_weights, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from mars_score.lm.attention import View

KNOWN: dict[str, tuple[object, ...]] = {
    "hidden_act": ("silu",),
    "attention_bias": (False, None),
    "mlp_bias": (False, None),
    "rope_scaling": (None,),
    "quantization_config": (None,),
}
"""Settings that change what is computed, and the values that are known here."""
_PRODUCTS = (
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)  # fmt: skip


class Llama(nn.Module):  # type: ignore[misc]  # torch's types are not followed
    """A frozen language model: packed tokens in, their last hidden states out."""

    def __init__(self, tensors: Mapping[str, Tensor], settings: Mapping[str, Any]) -> None:
        """Take the weights of all layers."""
        super().__init__()
        self.config = SimpleNamespace(**settings)
        self.embeddings = tensors["model.embed_tokens.weight"]
        tied = settings.get("tie_word_embeddings") or "lm_head.weight" not in tensors
        self.head = Linear(self.embeddings if tied else tensors["lm_head.weight"], None)
        size = settings.get("head_dim") or settings["hidden_size"] // settings["num_attention_heads"]
        theta = (settings.get("rope_parameters") or settings).get("rope_theta", 10000.0)
        steps = torch.arange(0, size, 2, dtype=torch.float)
        self.frequencies = (1.0 / (theta ** (steps / size))).to(self.embeddings.device)  # (D / 2,)
        self.layers = nn.ModuleList(
            _Layer(tensors, number, size, settings["rms_norm_eps"])
            for number in range(settings["num_hidden_layers"])
        )
        self.norm, self.epsilon = tensors["model.norm.weight"], settings["rms_norm_eps"]

    @classmethod
    def load(cls, folder: Path, *, device: torch.device, dtype: str) -> Llama | None:
        """Load a folder that holds a Llama; None for a model of another make."""
        settings = settings_of(folder, "llama", KNOWN)
        if (
            settings is None
            or (settings.get("rope_parameters") or {}).get("rope_type", "default") != "default"
        ):
            return None
        kind = getattr(torch, dtype)
        return cls({name: tensor.to(device, kind) for name, tensor in load_weights(folder).items()}, settings)

    def forward(self, tokens: Tensor, positions: Tensor, view: View) -> Tensor:
        """Read packed tokens (T,) at their positions (T,): (T, H)."""
        states = F.embedding(tokens, self.embeddings)  # (T, H)
        angles = positions[:, None].float() * self.frequencies  # (T, D / 2)
        angles = torch.cat((angles, angles), dim=-1)
        turns = angles.cos().to(states.dtype), angles.sin().to(states.dtype)
        for layer in self.layers:
            states = layer(states, turns, view)
        return _norm(states, self.norm, self.epsilon)

    def pack(self) -> Llama:
        """Return the same network with its weights laid out for the processor, for many small passes."""
        other = Llama.__new__(Llama)
        nn.Module.__init__(other)
        for name in ("config", "embeddings", "frequencies", "norm", "epsilon"):
            setattr(other, name, getattr(self, name))
        other.head = self.head.pack()
        other.layers = nn.ModuleList(layer.pack() for layer in self.layers)
        return other


class _Layer(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self, tensors: Mapping[str, Tensor], number: int, size: int, epsilon: float) -> None:
        super().__init__()
        prefix = f"model.layers.{number}."
        self.number, self.size, self.epsilon = number, size, epsilon
        self.products = nn.ModuleList(Linear(tensors[f"{prefix}{name}.weight"], None) for name in _PRODUCTS)
        self.norms = tuple(
            tensors[f"{prefix}{name}.weight"] for name in ("input_layernorm", "post_attention_layernorm")
        )

    def pack(self) -> _Layer:
        other = _Layer.__new__(_Layer)
        nn.Module.__init__(other)
        other.number, other.size, other.epsilon, other.norms = (
            self.number,
            self.size,
            self.epsilon,
            self.norms,
        )
        other.products = nn.ModuleList(product.pack() for product in self.products)
        return other

    def forward(self, states: Tensor, turns: tuple[Tensor, Tensor], view: View) -> Tensor:
        query_of, key_of, value_of, mix, gate, up, down = self.products
        normed = _norm(states, self.norms[0], self.epsilon)
        query, key, value = (
            product(normed).unflatten(-1, (-1, self.size)).transpose(0, 1)  # (heads, T, D)
            for product in (query_of, key_of, value_of)
        )
        mixed = view.attend(
            self.number,
            _turned(query, *turns),
            _turned(key, *turns),
            value,
            scale=self.size**-0.5,
            window=None,
        )  # (T, A, D)
        states = states + mix(mixed.flatten(1))
        normed = _norm(states, self.norms[1], self.epsilon)
        widened: Tensor = states + down(F.silu(gate(normed)) * up(normed))
        return widened


def _norm(states: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    """Scale each state to a mean square of 1."""
    exact = states.float()
    exact = exact * torch.rsqrt(exact.pow(2).mean(-1, keepdim=True) + epsilon)
    return weight * exact.to(states.dtype)


def _turned(heads: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Rotary positions: (heads, T, D), (T, D), (T, D) -> (heads, T, D)."""
    first, second = heads.chunk(2, dim=-1)
    return heads * cosines + torch.cat((-second, first), dim=-1) * sines
