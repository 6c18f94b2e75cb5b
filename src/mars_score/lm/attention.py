"""Attention over packed tokens: rows of any length share one forward pass without a padded token.

The network's linear layers see one long sequence of tokens. What each token may look at is decided by a
`View` that travels with the call: `Prefill` reads contexts, `Continuation` reads one text after what a cache holds;
the decoder has one for the new tokens of many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Protocol

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from torch import Tensor

PACKED_ATTENTION = "mars_packed"


class View(Protocol):
    """Decides what the tokens of one forward pass attend to."""

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """query (A, T, D), key and value (K, T, D) -> output (T, A, D); A query heads, K key-value heads."""


@dataclass(slots=True)
class Prefill:
    """Contexts read from their first token on, one behind the other, each causally on its own."""

    lengths: list[int]
    store: Tensor
    """(layers, 2, C, K, L, D): takes the keys and values of the C contexts, the longest of them L tokens."""

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """Attend causally inside each context."""
        outputs = []
        for number, (start, end) in enumerate(pairwise(accumulate(self.lengths, initial=0))):
            q, k, v = query[None, :, start:end], key[None, :, start:end], value[None, :, start:end]
            self.store[layer, 0, number, :, : end - start] = k[0]  # (K, length, D)
            self.store[layer, 1, number, :, : end - start] = v[0]
            if window is not None and end - start > window:
                steps = torch.arange(end - start, device=q.device)
                gap = steps[:, None] - steps[None]  # (length, length)
                mask = (gap >= 0) & (gap < window)
                out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, enable_gqa=True)
            else:
                out = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=True)
            outputs.append(out[0].transpose(0, 1))  # (length, A, D)
        return torch.cat(outputs)


@dataclass(slots=True)
class Continuation:
    """One text that goes on after given keys and values."""

    past: Tensor
    """(layers, 2, K, n, D)."""

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """Attend to all that came before, and causally inside the text."""
        keys, values = self.past[layer]  # (K, n, D)
        count, before = query.shape[1], keys.shape[1]
        if window is not None and count == 1:
            start = max(0, before - window + 1)
            keys, values, window = keys[:, start:], values[:, start:], None
        k, v = torch.cat([keys, key], 1), torch.cat([values, value], 1)  # (K, n+T, D)
        mask = None
        if count > 1:
            gap = before + torch.arange(count, device=query.device)[:, None]
            gap = gap - torch.arange(before + count, device=query.device)  # (T, n+T)
            mask = gap >= 0 if window is None else (gap >= 0) & (gap < window)
        out = F.scaled_dot_product_attention(
            query[None], k[None], v[None], attn_mask=mask, scale=scale, enable_gqa=True
        )
        return out[0].transpose(0, 1)  # (T, A, D)


def packed_attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None, *,
    view: View, scaling: float | None = None, sliding_window: int | None = None, **_: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """Adapt a `View` to the attention interface of transformers: (1, heads, T, D) in, (1, T, heads, D) out."""
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    out = view.attend(module.layer_idx, query[0], key[0], value[0], scale=scale, window=sliding_window)
    return out[None], None


def register() -> None:
    """Make the packed attention known to transformers; it needs no mask of theirs."""
    from transformers import AttentionInterface

    AttentionInterface.register(PACKED_ATTENTION, packed_attention)
