"""One step of decoding as attention sees it: new tokens of many rows, and what each of them may look at.

A token looks at its context (one copy for all rows that share it) and at its row's own columns. The two
are attended to apart and joined by their log-sum-exp, so a context is never copied or repeated. Both are
grids: tokens laid out as (N, Q), padded, before keys and values of N sequences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

UNSEEN = -1e9
"""Added to the score of what a token must not see; finite, so that padding gives no NaN."""


@dataclass(slots=True)
class Grid:
    """Some of the step's tokens before the keys and values that they look at."""

    memory: Tensor
    """(layers, 2, N or more, K, S or more, D) keys and values."""
    rows: Tensor | None
    """(N,) which sequences of `memory` take part; None: the first N."""
    tokens: Tensor | slice
    """(t,) which of the step's tokens stand in this grid."""
    row: Tensor
    """(t,) the sequence that each looks at, counted within the grid."""
    place: Tensor
    """(t,) its place among the tokens of that sequence."""
    size: tuple[int, int, int]
    """(N, Q, S): sequences, most tokens a sequence, columns in use."""
    visible: Tensor | None
    """(N, Q or 1, S) bool: the columns that each token sees; None: all."""
    token_position: Tensor
    """(t,) and"""
    column_position: Tensor
    """(N or 1, S): positions in the text, for models with a sliding window."""
    _masks: dict[int | None, Tensor | None] = field(default_factory=dict)

    def attend(self, layer: int, query: Tensor, window: int | None) -> tuple[Tensor, Tensor]:
        """query (T, A, D), scaled -> output (t, A, D) and the log of its summed weights (t, A)."""
        n, q, s = self.size
        _, heads, d = query.shape
        keys, values = self.memory[layer]  # (N+, K, S+, D)
        if self.rows is not None:
            keys, values = keys[self.rows, :, :s], values[self.rows, :, :s]
        else:
            keys, values = keys[:n, :, :s], values[:n, :, :s]  # (N, K, S, D)
        k_heads = keys.shape[1]
        padded = query.new_zeros(n, q, heads, d)
        padded[self.row, self.place] = query[self.tokens]
        grouped = padded.view(n, q, k_heads, -1, d).permute(0, 2, 3, 1, 4).reshape(n, k_heads, -1, d)
        scores = (grouped @ keys.transpose(-1, -2)).float()  # (N, K, G*Q, S)
        mask = self._mask(window, scores.dtype)  # (N, Q or 1, S)
        if mask is not None:
            scores.view(n, heads, q, s).add_(mask[:, None])
        top = scores.amax(-1, keepdim=True)  # (N, K, G*Q, 1)
        scores.sub_(top).exp_()
        total = scores.sum(-1, keepdim=True)  # (N, K, G*Q, 1)
        mixed = (scores.to(values.dtype) @ values).div_(total)  # (N, K, G*Q, D)
        weight = total.log_().add_(top)  # (N, K, G*Q, 1)
        mixed = mixed.view(n, heads, q, d).transpose(1, 2)  # (N, Q, A, D)
        weight = weight.view(n, heads, q).transpose(1, 2)  # (N, Q, A)
        return mixed[self.row, self.place], weight[self.row, self.place]

    def _mask(self, window: int | None, dtype: torch.dtype) -> Tensor | None:
        """(N, Q or 1, S) 0 where a column is visible, `UNSEEN` elsewhere; made once for all layers."""
        if window not in self._masks:
            visible = self.visible
            if window is not None:
                n, q, _ = self.size
                position = self.token_position.new_zeros(n, q)
                position[self.row, self.place] = self.token_position
                near = position[..., None] - self.column_position[:, None] < window  # (N, Q, S)
                visible = near if visible is None else visible & near
            mask = None
            if visible is not None:
                mask = torch.zeros(visible.shape, dtype=dtype, device=visible.device)
                mask.masked_fill_(~visible, UNSEEN)
            self._masks[window] = mask
        return self._masks[window]


@dataclass(slots=True)
class Step:
    """New tokens of many rows."""

    cache: Tensor
    """(layers, 2, R, K, S, D): the rows' own keys and values."""
    slot: Tensor
    """(T,) the row of the cache that a token belongs to."""
    column: Tensor
    """(T,) the column of that row where the token's key and value go."""
    own: list[Grid]
    """Before the rows' own columns: each token stands in one of these grids."""
    past: list[Grid]
    """Before the contexts: likewise."""
    heads: Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.heads = torch.arange(self.cache.shape[3], device=self.cache.device)

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """Write the new keys and values, then attend to the context and to the row's own columns."""
        keys, values = self.cache[layer]  # (R, K, S, D)
        place = (self.slot[:, None], self.heads[None], self.column[:, None])
        keys[place] = key.transpose(0, 1)  # (T, K, D)
        values[place] = value.transpose(0, 1)
        query = query.transpose(0, 1) * scale  # (T, A, D)
        own, own_weight = _gather(self.own, layer, query, window)  # (T, A, D), (T, A)
        past, past_weight = _gather(self.past, layer, query, window)
        share = torch.sigmoid(past_weight - own_weight)[..., None]  # (T, A, 1)
        return torch.lerp(own, past, share.to(own.dtype))


def _gather(grids: list[Grid], layer: int, query: Tensor, window: int | None) -> tuple[Tensor, Tensor]:
    """Attend in every grid and put the tokens back in order."""
    if len(grids) == 1:  # which then has all tokens, in order
        return grids[0].attend(layer, query, window)
    out = torch.empty_like(query)
    weight = query.new_empty(query.shape[:2], dtype=torch.float32)
    for grid in grids:
        out[grid.tokens], weight[grid.tokens] = grid.attend(layer, query, window)
    return out, weight
