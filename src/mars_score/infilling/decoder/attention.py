"""One step of decoding as attention sees it: new tokens of many rows, and what each of them may look at.

A token looks at its context (one copy for all rows that share it) and at its row's own columns. The two
are attended to apart and joined by their log-sum-exp, so a context is never repeated row by row. Both are
grids: tokens laid out as (N, Q), padded, before keys and values of N sequences.

Query heads that share a key-value head are rows of one product. The queries of all grids are fetched at once, already
in that order, and what they found is brought back at once: at these sizes an operation costs more than its arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from torch import Tensor

UNSEEN = -1e9
"""Added to the score of what a token must not see; finite, so that padding gives no NaN."""
NOBODY = -1
"""In place of a token's number: padding."""


@dataclass(slots=True)
class Grid:
    """Some of the step's tokens before the keys and values that they look at."""

    memory: Tensor
    """(layers, 2, N or more, K, S or more, D) keys and values."""
    rows: Tensor | None
    """(N,) which sequences of `memory` take part; None: the first N."""
    tokens: np.ndarray[Any, np.dtype[np.int64]]
    """(N, Q) which of the step's tokens look at each sequence, filled up with `NOBODY`."""
    columns: int
    """S: columns in use."""
    visible: Tensor | None
    """(N, Q or 1, S) bool: the columns that each token sees; None: all."""
    token_position: Tensor
    """(T,) of all tokens of the step, and"""
    column_position: Tensor
    """(N or 1, S): positions in the text, for models with a sliding window."""
    _masks: dict[int | None, Tensor | None] = field(default_factory=dict)

    def attend(self, layer: int, query: Tensor, window: int | None) -> tuple[Tensor, Tensor]:
        """query (N, K, Q*G, D), scaled -> output (N, K, Q*G, D) and the log of its summed weights (N, K, Q*G, 1)."""
        n, s = len(self.tokens), self.columns
        keys, values = self.memory[layer]  # (N+, K, S+, D)
        if self.rows is None:
            keys, values = keys[:n, :, :s], values[:n, :, :s]  # (N, K, S, D)
        else:
            keys, values = keys[self.rows, :, :s], values[self.rows, :, :s]
        scores = (query @ keys.transpose(-1, -2)).float()  # (N, K, Q*G, S)
        mask = self._mask(window, query.shape[2])  # (N, 1, Q*G or 1, S)
        if mask is not None:
            scores.add_(mask)
        top = scores.amax(-1, keepdim=True)  # (N, K, Q*G, 1)
        scores.sub_(top).exp_()
        total = scores.sum(-1, keepdim=True)  # (N, K, Q*G, 1)
        mixed = (scores.to(values.dtype) @ values).div_(total)  # (N, K, Q*G, D)
        return mixed, total.log_().add_(top)

    def _mask(self, window: int | None, queries: int) -> Tensor | None:
        """(N, 1, Q*G or 1, S) 0 where a column is visible, `UNSEEN` elsewhere; made once for all layers."""
        if window not in self._masks:
            visible = self.visible
            if window is not None:
                numbers = torch.from_numpy(self.tokens.clip(0)).to(self.token_position.device)
                gap = self.token_position[numbers][..., None] - self.column_position[:, None]  # (N, Q, S)
                visible = gap < window if visible is None else visible & (gap < window)
            mask = None
            if visible is not None:
                mask = torch.zeros(visible.shape, device=visible.device).masked_fill_(~visible, UNSEEN)
                if mask.shape[1] > 1:
                    mask = mask.repeat_interleave(queries // mask.shape[1], 1)
                mask = mask[:, None]
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
    _written: Tensor = field(init=False)
    """(T*K,) where, in (R*K*S,), the tokens' keys and values go."""
    _fetched: Tensor = field(init=False)
    """(n,) which of the (T*K,) queries stand in the grids, one grid behind the other."""
    _found: Tensor = field(init=False)
    """(2*T*K,) where, in (n,), the queries stand: before the rows' own columns, and before the contexts."""

    def __post_init__(self) -> None:
        _, _, _, heads, columns, _ = self.cache.shape
        head = np.arange(heads)
        each = torch.from_numpy(head).to(self.slot.device)
        self._written = ((self.slot[:, None] * heads + each) * columns + self.column[:, None]).flatten()
        fetched: list[np.ndarray[Any, np.dtype[np.int64]]] = []
        found = np.empty((2, len(self.slot), heads), np.int64)
        start = 0
        for kind, grids in enumerate((self.own, self.past)):
            for grid in grids:
                queries = grid.tokens[:, None] * heads + head[:, None]  # (N, K, Q)
                places = np.arange(start, start + queries.size).reshape(queries.shape)
                here = grid.tokens != NOBODY  # (N, Q)
                found[kind, grid.tokens[here]] = places.transpose(0, 2, 1)[here]  # (t, K)
                fetched.append(queries.clip(0).ravel())
                start += queries.size
        self._fetched = torch.from_numpy(np.concatenate(fetched)).to(self.slot.device)
        self._found = torch.from_numpy(found.ravel()).to(self.slot.device)

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        """Write the new keys and values, then attend to the context and to the row's own columns."""
        heads, count, size = key.shape
        keys, values = self.cache[layer].flatten(1, 3)  # (R*K*S, D)
        keys.index_copy_(0, self._written, key.transpose(0, 1).reshape(-1, size))
        values.index_copy_(0, self._written, value.transpose(0, 1).reshape(-1, size))
        query = (query.transpose(0, 1) * scale).reshape(count * heads, -1)  # (T*K, G*D)
        fetched = query.index_select(0, self._fetched)  # (n, G*D)
        outputs: list[Tensor] = []
        weights: list[Tensor] = []
        start = 0
        for grid in (*self.own, *self.past):
            n, q = grid.tokens.shape
            end = start + n * heads * q
            out, weight = grid.attend(layer, fetched[start:end].view(n, heads, -1, size), window)
            outputs.append(out.view(end - start, -1))  # (N*K*Q, G*D)
            weights.append(weight.view(end - start, -1))  # (N*K*Q, G)
            start = end
        own, past = torch.cat(outputs).index_select(0, self._found).view(2, count, -1, size)  # (T, A, D) each
        own_weight, past_weight = (
            torch.cat(weights).index_select(0, self._found).view(2, count, -1, 1)
        )  # (T, A, 1)
        share = torch.sigmoid(past_weight - own_weight)  # (T, A, 1)
        return torch.lerp(own, past, share.to(own.dtype))
