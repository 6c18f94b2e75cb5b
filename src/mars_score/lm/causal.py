"""A causal language model as the decoder sees it: hidden states, the output head, and a safe vocabulary.

On a CPU its linear layers have their weights laid out once for the processor.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from mars_score.encoders.network import single_threaded_torch, size_is_free, trial_rows
from mars_score.errors import ModelError
from mars_score.lm.attention import PACKED_ATTENTION, register
from mars_score.models.report import quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.lm.attention import View


# Linear layers whose weights are laid out once for the processor.

# oneDNN and torch's layer above it keep what they prepare for every shape of a product, up to 1,024 of them, in some
# hundred megabytes. Here each step has a shape of its own, which hardly comes again.
for _limit in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_limit, "64")

ROWS = 64
"""The batch that the layout is chosen for; any other works with it too."""


class PackedLinear(nn.Module):  # type: ignore[misc]  # torch's types are not followed
    """y = x W^T + b for a frozen W (out, in)."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.bias = bias
        self.out_features, self.in_features = weight.shape
        self.packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous(), ROWS)

    def forward(self, x: Tensor) -> Tensor:
        """Multiply (..., in) to (..., out)."""
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")
        return y


def can_pack(weight: Tensor) -> bool:
    """Whether packed weights exist for this kind of tensor here."""
    return bool(
        weight.device.type == "cpu"
        and weight.dtype == torch.float32
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


def pack_linears(model: nn.Module) -> None:
    """Replace the linear layers of a frozen model; their plain weights are let go."""
    from transformers.pytorch_utils import Conv1D

    for module in model.modules():
        for name, child in module.named_children():
            # Exact types: a subclass may compute something else.
            weight: Any = child.weight if type(child) is nn.Linear else None
            if type(child) is Conv1D:
                weight = child.weight.T
            if weight is not None and can_pack(weight):
                setattr(module, name, PackedLinear(weight, child.bias))


# A causal language model as the decoder sees it: hidden states, the output head, and a safe vocabulary.


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


class LanguageModel:
    """Any Hugging Face causal LM whose attention goes through the library's attention interface."""

    def __init__(
        self, location: str, *, start_token: int | None = None, device: str = "cpu", dtype: str = "float32",
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        """Load weights (safetensors only) and tokenizer from a folder; packed, unless gradients are wanted."""
        from transformers import AutoModelForCausalLM, AutoTokenizer

        register()
        self.device = torch.device(device)
        with quiet():
            self.tokenizer = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            model = AutoModelForCausalLM.from_pretrained(
                location,
                dtype=getattr(torch, dtype),
                use_safetensors=True,
                trust_remote_code=False,
                attn_implementation=PACKED_ATTENTION,
            )
        self.model = model.eval().requires_grad_(requires_grad=False).to(self.device)
        self.config = self.model.config.get_text_config()
        self.start = self._start(start_token)
        self.head: Any = self.model.get_output_embeddings()
        self.differentiable = differentiable
        self._head: Any = self.head
        if not differentiable and can_pack(self.head.weight):
            # The head's plain weights stay: planning reads rows of them, and they often are the embeddings.
            self._head = PackedLinear(self.head.weight, self.head.bias)
            pack_linears(self.model.base_model)
        self.max_positions = int(getattr(self.config, "max_position_embeddings", 1 << 30))

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
        return list(self.tokenizer(text, add_special_tokens=False, verbose=False).input_ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens that were written into a blank."""
        return "".join(self.vocabulary.pieces[i] for i in ids)

    def hidden(self, tokens: Tensor, positions: Tensor, view: View) -> Tensor:
        """Run packed tokens (T,) at their positions (T,) through the network: last hidden states (T, H)."""
        output = self.model.base_model(
            input_ids=tokens[None], position_ids=positions[None], use_cache=False, view=view
        )
        hidden: Tensor = output.last_hidden_state[0]
        return hidden

    def rounds_alike(self, sizes: Sequence[int], most: int, head_rows: int) -> bool:
        """Whether a row comes out of each product the same to the last bit, wherever in a batch it stands.

        In the layers at each of these sizes and at the largest; in the head, which always has as many rows, at some
        places.
        """
        layers = [layer for layer in self.model.base_model.modules() if hasattr(layer, "in_features")]
        products = {(layer.in_features, layer.out_features): layer for layer in layers}
        like, weight = self.head.weight.new_empty, self.head.weight
        with torch.no_grad(), single_threaded_torch():
            rows = trial_rows(weight, head_rows)
            return all(
                size_is_free(product, trial_rows(like(0, width), most), sizes)
                for (width, _), product in products.items()
            ) and all(
                torch.equal(self._head(rows.roll(place, 0)).roll(-place, 0), self._head(rows))
                for place in (1, head_rows // 2 - 3)
            )

    def logits(self, hidden: Tensor) -> Tensor:
        """Output head: (N, H) -> (N, V) in float32."""
        logits: Tensor = self._head(hidden).float()
        cap = getattr(self.config, "final_logit_softcapping", None)
        return logits if cap is None else cap * torch.tanh(logits / cap)
