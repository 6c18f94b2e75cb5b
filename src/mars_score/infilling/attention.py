"""Attention over packed tokens: rows of any length share one forward pass without a padded token.

The network's linear layers see one long sequence of tokens. What each token may look at is decided here,
by a `View` that travels with the call:

- `Prefill` reads whole contexts, each causally on its own, and stores their keys and values;
- `Step` reads new tokens of many rows. A token sees its row's whole context (one copy for all rows that
  share it) and the columns of its row's own cache that the step's mask allows. The two parts are attended
  to separately and joined by their log-sum-exp, so a context is never copied or repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
    """Contexts read from their first token on; fills `stores`, one (layers, 2, K, length, D) tensor each."""

    lengths: list[int]
    stores: list[Tensor]

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """Attend causally inside each context."""
        outputs = []
        for span, store in zip(_spans(self.lengths), self.stores, strict=True):
            q, k, v = query[None, :, span], key[None, :, span], value[None, :, span]  # (1, A|K, L, D)
            store[layer, 0], store[layer, 1] = k[0], v[0]
            length = q.shape[2]
            if window is not None and length > window:
                steps = torch.arange(length, device=q.device)
                gap = steps[:, None] - steps[None]  # (L, L)
                mask = (gap >= 0) & (gap < window)
                out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, enable_gqa=True)
            else:
                out = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=True)
            outputs.append(out[0].transpose(0, 1))  # (L, A, D)
        return torch.cat(outputs)


@dataclass(slots=True)
class Step:
    """New tokens of many rows, ordered by context and then by row."""

    cache: Tensor
    """(layers, 2, R, K, S, D): the rows' own keys and values."""
    contexts: list[Tensor]
    """One (layers, 2, K, length, D) for each context that takes part, in the tokens' order."""
    context_tokens: list[int]
    """How many of the step's tokens belong to each of these contexts."""
    slot: Tensor
    """(T,) the row of the cache that a token belongs to."""
    column: Tensor
    """(T,) the column of that row where the token's key and value go."""
    position: Tensor
    """(T,) its position in the text."""
    row: Tensor
    """(T,) its row counted within this step, 0 .. N-1."""
    place: Tensor
    """(T,) its place within its row's new tokens, 0 .. Q-1."""
    rows: Tensor | None
    """(N,) the cache rows that take part, or None for all of them in order."""
    size: tuple[int, int, int]
    """(N, Q, S'): rows in this step, most tokens a row, columns in use."""
    visible: Tensor
    """(N, Q, S') bool: the cache columns that each token sees."""
    column_position: Tensor
    """(N, S') the text position of each column, for models with a sliding window."""
    heads: Tensor = field(init=False)
    _masks: dict[int | None, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.heads = torch.arange(self.cache.shape[3], device=self.cache.device)

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """Write the new keys and values, then attend to the context and to the row's own columns."""
        keys, values = self.cache[layer, 0], self.cache[layer, 1]  # (R, K, S, D)
        place = (self.slot[:, None], self.heads[None], self.column[:, None])
        keys[place] = key.transpose(0, 1)  # (T, K, D)
        values[place] = value.transpose(0, 1)
        query = query * scale
        own, own_weight = self._own(query, keys, values, window)  # (T, A, D), (T, A)
        past, past_weight = self._past(layer, query, window)  # (T, A, D), (T, A)
        share = torch.sigmoid(past_weight - own_weight)[..., None]  # (T, A, 1)
        return torch.lerp(own, past, share.to(own.dtype))

    def _own(self, query: Tensor, keys: Tensor, values: Tensor, window: int | None) -> tuple[Tensor, Tensor]:
        """Attend to the row's own columns, rows padded to the step's longest."""
        n, q, s = self.size
        heads, _, d = query.shape
        k_heads = keys.shape[1]
        padded = query.new_zeros(n, q, heads, d)
        padded[self.row, self.place] = query.transpose(0, 1)
        grouped = (
            padded.view(n, q, k_heads, -1, d).permute(0, 2, 3, 1, 4).reshape(n, k_heads, -1, d)
        )  # (N,K,GQ,D)
        k, v = keys[:, :, :s], values[:, :, :s]  # (N, K, S', D)
        if self.rows is not None:
            k, v = k[self.rows], v[self.rows]
        scores = (grouped @ k.transpose(-1, -2)).view(n, heads, q, s)  # (N, A, Q, S')
        scores = scores + self._mask(window, scores.dtype)[:, None]
        weight = scores.logsumexp(-1)  # (N, A, Q)
        mixed = scores.softmax(-1).view(n, k_heads, -1, s) @ v  # (N, K, GQ, D)
        mixed = mixed.view(n, heads, q, d).transpose(1, 2)  # (N, Q, A, D)
        return mixed[self.row, self.place], weight.transpose(1, 2)[self.row, self.place]

    def _past(self, layer: int, query: Tensor, window: int | None) -> tuple[Tensor, Tensor]:
        """Attend to the contexts, each read once by all the tokens of all its rows."""
        heads, tokens, d = query.shape
        out = query.new_empty(tokens, heads, d)
        weight = query.new_empty(tokens, heads)
        for span, context in zip(_spans(self.context_tokens), self.contexts, strict=True):
            k, v = context[layer, 0], context[layer, 1]  # (K, L, D)
            q = query[:, span].reshape(k.shape[0], -1, d)  # (K, G*t, D)
            scores = q @ k.transpose(-1, -2)  # (K, G*t, L)
            if window is not None:
                positions = torch.arange(k.shape[1], device=k.device)
                hidden = self.position[span, None] - positions >= window  # (t, L)
                scores = scores.view(heads, -1, k.shape[1]).masked_fill(hidden, -1e9).view_as(scores)
            weight[span] = scores.logsumexp(-1).view(heads, -1).T
            out[span] = (scores.softmax(-1) @ v).view(heads, -1, d).transpose(0, 1)
        return out, weight

    def _mask(self, window: int | None, dtype: torch.dtype) -> Tensor:
        """(N, Q, S') 0 where a column is visible, a large negative number elsewhere; built once a step."""
        if window not in self._masks:
            visible = self.visible
            if window is not None:
                n, q, _ = self.size
                position = self.position.new_zeros(n, q)
                position[self.row, self.place] = self.position
                visible = visible & (position[..., None] - self.column_position[:, None] < window)
            self._masks[window] = torch.zeros(self.size, dtype=dtype, device=visible.device).masked_fill_(
                ~visible, -1e9
            )
        return self._masks[window]


def _spans(lengths: list[int]) -> list[slice]:
    """Turn lengths into consecutive slices."""
    spans, start = [], 0
    for length in lengths:
        spans.append(slice(start, start + length))
        start += length
    return spans


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
    from transformers import AttentionInterface  # noqa: PLC0415  (heavy)

    AttentionInterface.register(PACKED_ATTENTION, packed_attention)
