"""Attention over packed tokens: rows of any length share one forward pass without a padded token.

The network's linear layers see one long sequence of tokens. What each token may look at is decided by a
`View` that travels with the call: `Prefill` reads contexts, `Continuation` reads texts, each after what a cache
holds; the decoder has one for the new tokens of many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Protocol

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Contexts read from their first token on, one after another, each causally on its own; then padding."""

    lengths: list[int]
    stores: Sequence[Tensor]
    """For each context (layers, 2, K, its length or more, D): takes its keys and values."""

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """Attend causally inside each context."""
        output = query.new_zeros(query.shape[1], query.shape[0], query.shape[2])  # (T, A, D)
        for store, (start, end) in zip(
            self.stores, pairwise(accumulate(self.lengths, initial=0)), strict=True
        ):
            q, k, v = query[None, :, start:end], key[None, :, start:end], value[None, :, start:end]
            store[layer, 0, :, : end - start] = k[0]  # (K, length, D)
            store[layer, 1, :, : end - start] = v[0]
            if window is not None and end - start > window:
                steps = torch.arange(end - start, device=q.device)
                gap = steps[:, None] - steps[None]  # (length, length)
                mask = (gap >= 0) & (gap < window)
                out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, enable_gqa=True)
            else:
                out = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=True)
            output[start:end] = out[0].transpose(0, 1)  # (length, A, D)
        return output


@dataclass(slots=True)
class Continuation:
    """Texts one after another, each of which goes on after given keys and values; then padding."""

    pasts: Sequence[Tensor]
    """For each text (layers, 2, K, n, D); several texts may have the same."""
    lengths: Sequence[int]
    """Tokens of each text."""

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """Attend to all that came before, and causally inside each text."""
        outputs, end = [], 0
        for past, length in zip(self.pasts, self.lengths, strict=True):
            part = slice(end, end + length)
            end += length
            outputs.append(_after(past[layer], query[:, part] * scale, key[:, part], value[:, part], window))
        if end < query.shape[1]:
            outputs.append(query.new_zeros(query.shape[1] - end, query.shape[0], query.shape[2]))
        return torch.cat(outputs)  # (T, A, D)


def _after(past: Tensor, query: Tensor, key: Tensor, value: Tensor, window: int | None) -> Tensor:
    """query (A, t, D), scaled, key and value (K, t, D) of a text after `past` (2, K, n, D) -> (t, A, D).

    What came before is read where it lies: texts that share a context share its only copy.
    """
    (heads, count, size), (keys, values) = key.shape, past
    before = keys.shape[1]
    group_size = query.shape[0] // heads  # G: query heads that share keys are rows of one product
    grouped = query.reshape(heads, group_size * count, size)  # (K, G t, D)
    scores = torch.cat([grouped @ keys.transpose(1, 2), grouped @ key.transpose(1, 2)], -1)  # (K, G t, n+t)
    gap = before + torch.arange(count, device=query.device)[:, None]
    gap = gap - torch.arange(before + count, device=query.device)  # (t, n+t)
    seen = gap >= 0 if window is None else (gap >= 0) & (gap < window)
    scores = scores.unflatten(1, (group_size, count)).masked_fill(~seen, -torch.inf)  # (K, G, t, n+t)
    weights = scores.float().softmax(-1).to(value.dtype).flatten(1, 2)  # (K, G t, n+t)
    mixed = weights[..., :before] @ values + weights[..., before:] @ value  # (K, G t, D)
    return mixed.reshape(query.shape).transpose(0, 1)  # (t, A, D)


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
