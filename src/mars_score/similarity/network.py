"""An encoder's network: rows of tokens in, their states out, the same to the last bit in any company.

Libraries choose the order of a sum by the shape of a product. So a row may meet few shapes only:

- **Packs** (see `packs`) where the network can take them: of fixed sizes. When the network is loaded, its products
  are tried at these sizes. Where rows come out equal at all of them, a pack is as large as there is work; elsewhere
  all packs have one size.
- **Batches** (see `batches`) of one length and one height, for any other network.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import nn

from mars_score.similarity.batches import batches, topped_up
from mars_score.similarity.packs import ATTENTION, Pack, packs, register
from mars_score.similarity.side_by_side import side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    Product = tuple[Tensor, Tensor | None]
    """Weight (out, in) and bias (out,)."""

STEP = 64
"""Packs have a multiple of so many tokens,"""
LARGEST = 512
"""and at most so many: more make a product no faster."""
FIXED = 192
"""Tokens of every pack or batch where sizes matter to rounding: enough for full speed, and little is wasted."""
FIXED_ELSEWHERE = 8192
"""The same on a device with a memory of its own."""
CLOSE = 1e-3
"""States of a row in a pack and of the same row alone differ by less, or the network cannot take packs."""


@dataclass(frozen=True, slots=True)
class States:
    """What one pass through the network saw."""

    layers: tuple[Tensor, ...]
    """(T, H) each: the rows one behind the other, then padding."""
    starts: tuple[int, ...]
    """Where each row begins."""


class Network:
    """A frozen encoder of transformers."""

    def __init__(self, model: Any, *, beside: Sequence[Product] = ()) -> None:
        """Take a model; `beside` are further products with its states, whose rounding counts too."""
        self.model, self.device = model, model.device
        self.first = first_position(model)
        self.fixed = FIXED if self.device.type == "cpu" else FIXED_ELSEWHERE
        self.takes_packs = self._try_packs()
        self.steady = self.takes_packs and self._try_sizes(beside)

    def together(self, lengths: Sequence[int]) -> list[list[int]]:
        """Indices of rows that go through the network in one pass, the longest first."""
        if not self.takes_packs:
            return list(batches(lengths, self.fixed))
        share = -(-sum(lengths) // torch.get_num_threads())  # some for each thread
        return packs(lengths, _in_steps(min(share, LARGEST)) if self.steady else self.fixed)

    def read(self, rows: Sequence[Sequence[int]], *, all_layers: bool = False) -> States:
        """Pass rows that `together` put together: the states of the last layer, or of the embeddings and all layers."""
        lengths = [len(row) for row in rows]
        starts = tuple(accumulate(lengths[:-1], initial=0))
        if not any(lengths):  # blank texts, for a tokenizer that adds nothing
            depth = int(self.model.config.num_hidden_layers) + 1 if all_layers else 1
            return States(depth * (torch.zeros(0, self.model.config.hidden_size),), starts)
        with torch.inference_mode():
            if self.takes_packs:
                size = _in_steps(sum(lengths)) if self.steady else self.fixed
                found = self._pass_pack(rows, size, all_layers=all_layers)
            else:
                ids = torch.tensor(topped_up(rows, self.fixed), device=self.device)  # (N, L)
                found = _layers(
                    self.model(
                        input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=all_layers
                    ),
                    all_layers=all_layers,
                )
            return States(tuple(layer.flatten(0, 1) for layer in found), starts)

    def _pass_pack(
        self, rows: Sequence[Sequence[int]], size: int, *, all_layers: bool = False
    ) -> tuple[Tensor, ...]:
        """(1, T, H) of each layer asked for."""
        pack = Pack.of(rows, size, self.first)
        told = self.model(
            input_ids=torch.tensor([pack.ids], device=self.device),
            position_ids=torch.tensor([pack.positions], device=self.device),
            groups=pack.groups,
            output_hidden_states=all_layers,
        )
        return _layers(told, all_layers=all_layers)

    def _try_packs(self) -> bool:
        """Whether rows in a pack come out as alone. Positions or attention of another kind would show here."""
        probe = [[5, 9, 7, 8, 6, 5, 4], [6, 8, 4], [9]]
        usual = self.model.config._attn_implementation
        register()
        with torch.inference_mode():
            alone = [self.model(input_ids=torch.tensor([row], device=self.device))[0][0] for row in probe]
            try:
                self.model.set_attn_implementation(ATTENTION)
                packed = self._pass_pack(probe, STEP)[0][0]  # (T, H)
                parts = packed[: sum(map(len, probe))].split([len(row) for row in probe])
                gap = max(float((a - b).abs().max()) for a, b in zip(alone, parts, strict=True))
                if gap < CLOSE * float(alone[0].abs().max()):
                    return True
            except (AttributeError, IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):
                pass  # a network of another make
        self.model.set_attn_implementation(usual)
        return False

    def _try_sizes(self, beside: Sequence[Product]) -> bool:
        """Whether a row's products are the same to the last bit at all sizes of a pack, wherever it stands."""
        if self.device.type != "cpu":
            return False
        own = [(one.weight, one.bias) for one in self.model.modules() if isinstance(one, nn.Linear)]
        products = {weight.shape: (weight, bias) for weight, bias in (*own, *beside)}.values()
        return all(side_by_side(_is_steady, list(products)))


def _layers(told: Any, *, all_layers: bool) -> tuple[Tensor, ...]:
    return tuple(told.hidden_states) if all_layers else (told.last_hidden_state,)


def _in_steps(tokens: int) -> int:
    """The size of a pack for so many tokens; of a text that is longer than any pack, its own length."""
    return tokens if tokens > LARGEST else max(STEP, -(-tokens // STEP) * STEP)


def _is_steady(product: Product) -> bool:
    """Whether rows come out of a product equal at every size, at the start and at the end."""
    weight, bias = product
    rows = torch.rand(LARGEST, weight.shape[1], generator=torch.Generator().manual_seed(0))
    rows = (rows - 0.5).to(weight.dtype)
    whole = F.linear(rows, weight, bias)  # (LARGEST, out)
    return all(
        torch.equal(F.linear(rows[part], weight, bias), whole[part])
        for size in range(STEP, LARGEST, STEP)
        for part in (slice(size), slice(-size, None))
    )


def first_position(model: Any) -> int:
    """The position of a text's first token: RoBERTa and its like start counting after the padding index."""
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            return int(module.padding_idx) + 1
    return 0
