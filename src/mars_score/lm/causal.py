"""A causal language model as the decoder sees it: hidden states, the output head, and a safe vocabulary.

On a CPU the decoder's linear layers have their weights laid out for the processor. The default model's network is this
package's own, `Llama`; any other is that of transformers. Operations and their order are the same in both, and so are
the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mars_score.encoders.network import single_threaded_torch
from mars_score.encoders.products import Linear, can_pack, freeze_linears, size_is_free, trial_rows
from mars_score.errors import ModelError
from mars_score.lm.attention import PACKED_ATTENTION, register
from mars_score.models.tokenizer import load_tokenizer, load_weights, quiet, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.lm.attention import View


LLAMA_SETTINGS: dict[str, tuple[object, ...]] = {
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
    """Llama as its authors describe it, frozen: packed tokens, which a `View` shows each other, in; last states out."""

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
        """Load a folder that holds a Llama; None for a model of another architecture."""
        settings = settings_of(folder, "llama", LLAMA_SETTINGS)
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


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What each token id looks like as text, and which ids may be written into a blank."""

    pieces: tuple[str, ...]
    """The text of each token inside a sentence, leading space included."""
    writable: Tensor
    """(V,) bool: printable text without line breaks; never a special token or a part of a character."""
    opens_word: Tensor
    """(V,) bool: starts with a letter or digit, so it would grow the word before it."""
    closing: Tensor
    """(n,) ids of the tokens that may stand where a text ends: line breaks, and the ends of turn and document."""

    @classmethod
    def of(cls, tokenizer: Any, size: int, ends: set[int]) -> Vocabulary:
        """Decode every id once, after an anchor, so that leading spaces survive every kind of tokenizer."""
        anchor = tokenizer("a", add_special_tokens=False).input_ids
        ids = range(min(size, len(tokenizer)))
        head = len(tokenizer.decode(anchor))
        texts = tokenizer.batch_decode([[*anchor, i] for i in ids], clean_up_tokenization_spaces=False)
        pieces = [text[head:] for text in texts] + [""] * (size - len(ids))
        special = set(tokenizer.all_special_ids)
        writable = [
            i not in special and bool(piece.strip()) and piece.isprintable() and "\ufffd" not in piece
            for i, piece in enumerate(pieces)
        ]
        opens_word = [piece[:1].isalnum() for piece in pieces]
        closing = ends | {i for i, piece in enumerate(pieces) if piece.startswith("\n")}
        return cls(
            tuple(pieces), torch.tensor(writable), torch.tensor(opens_word), torch.tensor(sorted(closing))
        )

    def to(self, device: torch.device) -> Vocabulary:
        """Move the tables to a device."""
        return Vocabulary(
            self.pieces, self.writable.to(device), self.opens_word.to(device), self.closing.to(device)
        )


class HubNetwork:
    """A causal language model of transformers whose attention goes through the library's attention interface."""

    def __init__(self, location: str, *, device: torch.device, dtype: str, pack: bool) -> None:
        """Load weights (safetensors only), packed or as they are."""
        from transformers import AutoModelForCausalLM

        register()
        with quiet():
            model = AutoModelForCausalLM.from_pretrained(
                location,
                dtype=getattr(torch, dtype),
                use_safetensors=True,
                trust_remote_code=False,
                attn_implementation=PACKED_ATTENTION,
            )
        self.model = model.eval().requires_grad_(requires_grad=False).to(device)
        self.config = self.model.config.get_text_config()
        self.embeddings: Tensor = self.model.get_input_embeddings().weight
        head = self.model.get_output_embeddings()
        self.head: Any = Linear(head.weight, head.bias)
        if pack and can_pack(head.weight):
            # The head's plain weights stay: planning reads rows of them, and they often are the embeddings.
            self.head = self.head.pack()
            freeze_linears(self.model.base_model, pack=True)

    def __call__(self, tokens: Tensor, positions: Tensor, view: View) -> Tensor:
        """Read packed tokens (T,) at their positions (T,): (T, H)."""
        output = self.model.base_model(
            input_ids=tokens[None], position_ids=positions[None], use_cache=False, view=view
        )
        hidden: Tensor = output.last_hidden_state[0]
        return hidden

    def modules(self) -> Any:
        """The layers."""
        return self.model.base_model.modules()

    def pack(self) -> HubNetwork:
        """It was packed as it was loaded."""
        return self


class LanguageModel:
    """A causal language model: its network, its output head and its vocabulary."""

    def __init__(
        self, location: str, *, start_token: int | None = None, device: str = "cpu", dtype: str = "float32",
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        """Load weights (safetensors only) and tokenizer from a folder; packed, unless gradients are wanted."""
        folder, self.device = Path(location), torch.device(device)
        self.tokenizer = load_tokenizer(folder)
        llama = Llama.load(folder, device=self.device, dtype=dtype)
        self.network: Any = llama or HubNetwork(
            location, device=self.device, dtype=dtype, pack=not differentiable
        )
        self.config = self.network.config
        self.start = self._start(start_token)
        self.head: Any = self.network.head
        self.differentiable = differentiable
        self.max_positions = int(getattr(self.config, "max_position_embeddings", 1 << 30))

    @cached_property
    def _packed(self) -> Any:
        """The network for the decoder's many small passes."""
        return self.network if self.differentiable else self.network.pack()

    def prepare(self) -> None:
        """Lay out the weights for the decoder."""
        _ = self._packed

    def _start(self, start_token: int | None) -> int:
        """The token that opens a document."""
        for token in (start_token, self.tokenizer.bos_token_id, self.tokenizer.eos_token_id):
            if token is not None:
                return int(token)
        raise ModelError("the tokenizer has neither a start nor an end token; name another model")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary as text."""
        ends = {int(token) for token in (self.tokenizer.eos_token_id, self.start) if token is not None}
        return Vocabulary.of(self.tokenizer, self.head.weight.shape[0], ends).to(self.device)

    @property
    def kv_shape(self) -> tuple[int, int, int]:
        """(layers, key-value heads, head size)."""
        config = self.config
        heads = config.num_attention_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // heads
        return config.num_hidden_layers, getattr(config, "num_key_value_heads", None) or heads, size

    @property
    def kv_bytes(self) -> int:
        """Bytes of cache that one token takes."""
        layers, heads, size = self.kv_shape
        return int(2 * layers * heads * size * self.head.weight.element_size())

    def encode(self, text: str) -> list[int]:
        """Token ids of a piece of text, as it stands."""
        before, tokens = self._before
        return self._ids(before + text)[tokens:]

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False, verbose=False).input_ids)

    @cached_property
    def _before(self) -> tuple[str, int]:
        """What texts are put behind, and its tokens, where the tokenizer begins every text with a space."""
        line, comma, both = map(self._ids, ("\n", ",", "\n,"))
        return ("\n", len(line)) if both != line + comma and both[: len(line)] == line else ("", 0)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens that were written into a blank."""
        return "".join(self.vocabulary.pieces[i] for i in ids)

    def hidden(self, tokens: Tensor, positions: Tensor, view: View, *, plain: bool = False) -> Tensor:
        """Run packed tokens (T,) at their positions (T,) through the network: last hidden states (T, H).

        `plain` takes the weights as they lie in their file: right for a few large passes, and always the same
        arithmetic, whether something was decoded before or not.
        """
        hidden: Tensor = (self.network if plain else self._packed)(tokens, positions, view)
        return hidden

    def rounds_alike(self, sizes: Sequence[int], most: int, head_rows: int) -> bool:
        """Whether a row comes out of each plain product the same to the last bit, wherever it is in a batch.

        In the layers at each of these sizes and at the largest; in the head, which always has as many rows, at some
        places.
        """
        layers = [
            layer
            for layer in self.network.modules()
            if hasattr(layer, "in_features") and layer is not self.head
        ]
        products = {(layer.in_features, layer.out_features): layer for layer in layers}
        like, weight = self.head.weight.new_empty, self.head.weight
        with torch.no_grad(), single_threaded_torch():
            rows = trial_rows(weight, head_rows)
            return all(
                size_is_free(product, trial_rows(like(0, width), most), sizes)
                for (width, _), product in products.items()
            ) and all(
                torch.equal(self.head(rows.roll(shift, 0)).roll(-shift, 0), self.head(rows))
                for shift in (1, head_rows // 2 - 3)
            )

    def logits(self, hidden: Tensor, *, plain: bool = False) -> Tensor:
        """Output head: (N, H) -> (N, V) in float32; `plain` as above."""
        logits: Tensor = (self.head if plain else self._packed.head)(hidden).float()
        cap = getattr(self.config, "final_logit_softcapping", None)
        return logits if cap is None else cap * torch.tanh(logits / cap)
