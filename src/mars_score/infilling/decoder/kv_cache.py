"""The keys and values of one batch, and one step of decoding as attention sees it.

There is a copy of each context, and a few columns of its own for each row. A token looks at its context (one copy for
all rows that share it) and at its row's own columns. The two are attended to apart and joined by their log-sum-exp, so
a context is never repeated row by row. Both are grids: tokens laid out as (N, Q), padded, before keys and values of N
sequences.

Query heads that share a key-value head are rows of one product. The queries of all grids are fetched at once, already
in that order, and what they found is brought back at once: at these sizes an operation costs more than its arithmetic.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torch import Tensor

    from mars_score.infilling.decoder.state import NewTokens
    from mars_score.lm.causal import LanguageModel


UNSEEN = -1e9
"""Added to the score of what a token must not see; finite, so that padding gives no NaN."""
FAINT = -80.0
"""Weights are no fainter than exp of this: it is lost in any sum, and where exp comes out as 0 or nearly so, processors
take up to three hundred times as long."""
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
        scores.sub_(top).clamp_(min=FAINT).exp_()
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
    row_grids: list[Grid]
    """Before the rows' own columns: each token stands in one of these grids."""
    context_grids: list[Grid]
    """Before the contexts: likewise."""
    _written: Tensor = field(init=False)
    """(T*K,) where, in (R*K*S,), the tokens' keys and values go."""
    _fetched: Tensor = field(init=False)
    """(n,) which of the (T*K,) queries stand in the grids, one grid after another."""
    _gathered: Tensor = field(init=False)
    """(2*T*K,) where, in (n,), the queries stand: before the rows' own columns, and before the contexts."""

    def __post_init__(self) -> None:
        _, _, _, heads, columns, _ = self.cache.shape
        head = np.arange(heads)
        head_index = torch.from_numpy(head).to(self.slot.device)
        self._written = ((self.slot[:, None] * heads + head_index) * columns + self.column[:, None]).flatten()
        fetched: list[np.ndarray[Any, np.dtype[np.int64]]] = []
        gathered = np.empty((2, len(self.slot), heads), np.int64)
        start = 0
        for kind, grids in enumerate((self.row_grids, self.context_grids)):
            for grid in grids:
                queries = grid.tokens[:, None] * heads + head[:, None]  # (N, K, Q)
                places = np.arange(start, start + queries.size).reshape(queries.shape)
                here = grid.tokens != NOBODY  # (N, Q)
                gathered[kind, grid.tokens[here]] = places.transpose(0, 2, 1)[here]  # (t, K)
                fetched.append(queries.clip(0).ravel())
                start += queries.size
        self._fetched = torch.from_numpy(np.concatenate(fetched)).to(self.slot.device)
        self._gathered = torch.from_numpy(gathered.ravel()).to(self.slot.device)

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
        for grid in (*self.row_grids, *self.context_grids):
            n, q = grid.tokens.shape
            end = start + n * heads * q
            out, weight = grid.attend(layer, fetched[start:end].view(n, heads, -1, size), window)
            outputs.append(out.view(end - start, -1))  # (N*K*Q, G*D)
            weights.append(weight.view(end - start, -1))  # (N*K*Q, G)
            start = end
        row_part, context_part = (
            torch.cat(outputs).index_select(0, self._gathered).view(2, count, -1, size)
        )  # (T, A, D) each
        own_weight, past_weight = (
            torch.cat(weights).index_select(0, self._gathered).view(2, count, -1, 1)
        )  # (T, A, 1)
        share = torch.sigmoid(past_weight - own_weight)  # (T, A, 1)
        return torch.lerp(row_part, context_part, share.to(row_part.dtype))


NARROW = (2,)
"""Rows that read at most this many tokens in a step are laid out apart from those that read more."""


@dataclass(slots=True)
class Panel:
    """Contexts of similar length that were read together."""

    numbers: list[int]
    """Which contexts these are."""
    lengths: list[int]
    store: Tensor
    """(layers, 2, C, K, L, D)."""


@dataclass(slots=True)
class Panels:
    """The contexts of a batch."""

    kv_shape: tuple[int, int, int]
    """Layers, heads, size of a head."""
    like: Tensor
    """A tensor of the right type on the right device."""
    panels: list[Panel] = field(default_factory=list)
    """In the order of their contexts' numbers."""

    @property
    def tokens(self) -> int:
        """How many tokens of contexts are held, padding included."""
        return sum(panel.store.shape[2] * panel.store.shape[4] for panel in self.panels)

    def add(self, numbers: list[int], lengths: list[int]) -> Panel:
        """Room for contexts of these lengths."""
        layers, heads, size = self.kv_shape
        # Zeros, not whatever memory holds: a masked column is multiplied by 0, and 0 times NaN is NaN.
        store = self.like.new_zeros(layers, 2, len(lengths), heads, max(lengths), size)
        self.panels.append(Panel(numbers, lengths, store))
        return self.panels[-1]

    def drop(self, needed: Iterable[int]) -> None:
        """Let go of contexts that no row needs; a panel shrinks when half of it is idle."""
        kept = []
        for panel in self.panels:
            live = [i for i, number in enumerate(panel.numbers) if number in needed]
            if live and 2 * len(live) <= len(panel.numbers):
                lengths = [panel.lengths[i] for i in live]
                store = panel.store[:, :, live, :, : max(lengths)]
                kept.append(Panel([panel.numbers[i] for i in live], lengths, store))
            elif live:
                kept.append(panel)
        self.panels = kept

    def context(self, number: int) -> Tensor:
        """Keys and values (layers, 2, K, length, D) of one context."""
        for panel in self.panels:
            if number in panel.numbers:
                index = panel.numbers.index(number)
                return panel.store[:, :, index, :, : panel.lengths[index]]
        raise KeyError(number)


@dataclass(slots=True)
class Cache:
    """Slots for rows, and the contexts that they share."""

    model: LanguageModel
    rows: int
    columns: int
    widths: tuple[int, ...] = NARROW
    row_store: Tensor = field(init=False)
    """(layers, 2, R, K, S, D)."""
    positions: Tensor = field(init=False)
    """(R, S) the text position of each column."""
    contexts: Panels = field(init=False)

    def __post_init__(self) -> None:
        layers, heads, size = self.model.kv_shape
        shape = (layers, 2, self.rows, heads, self.columns, size)
        # Zeros, not whatever memory holds: a masked column is multiplied by 0, and 0 times NaN is NaN.
        self.row_store = torch.zeros(shape, dtype=self.model.head.weight.dtype, device=self.model.device)
        self.positions = torch.zeros(self.rows, self.columns, dtype=torch.long, device=self.model.device)
        self.contexts = Panels(self.model.kv_shape, self.row_store)

    def shrink(self, rows: int, moves: Sequence[tuple[int, int]]) -> None:
        """Copy rows to other slots (from, to), and let go of the slots from number `rows` on."""
        # Row by row, and then a view: a copy of all would need memory when most of it is in use.
        for source, target in moves:
            self.row_store[:, :, target], self.positions[target] = (
                self.row_store[:, :, source],
                self.positions[source],
            )
        self.row_store, self.positions, self.rows = self.row_store[:, :, :rows], self.positions[:rows], rows

    def move(self, moves: Sequence[tuple[int, int, int]]) -> None:
        """Copy columns inside their rows: (slot, from, to)."""
        if moves:
            slot, source, target = torch.tensor(moves, device=self.row_store.device).T
            self.row_store[:, :, slot, :, target] = self.row_store[:, :, slot, :, source]
            self.positions[slot, target] = self.positions[slot, source]

    def step(self, batch: Sequence[NewTokens[Any]]) -> tuple[Tensor, Tensor, Step]:
        """Lay out the new tokens of rows in the order of their contexts: ids (T,), positions (T,), the view."""
        starts = np.cumsum([0, *(len(new.ids) for new in batch)]).tolist()
        tokens = [
            (token, new.row.slot, column, new.row.context_length + position)
            for new in batch
            for token, column, position in zip(new.ids, new.columns, new.positions, strict=True)
        ]
        ids, slot, column, position = torch.tensor(tokens, device=self.row_store.device).T
        self.positions[slot, column] = position
        kinds = [bisect_left(self.widths, len(new.ids)) for new in batch]
        parts = [[i for i, kind in enumerate(kinds) if kind == part] for part in range(len(self.widths) + 1)]
        row_grids = [self._row_grid(batch, starts, part, position) for part in parts if part]
        context_grids = self._context_grids(batch, starts, position)
        return ids, position, Step(self.row_store, slot, column, row_grids, context_grids)

    def _row_grid(
        self, batch: Sequence[NewTokens[Any]], starts: list[int], part: list[int], position: Tensor
    ) -> Grid:
        """Some rows before their own columns."""
        members = {batch[i].row.slot: i for i in part}  # slot: row of the batch
        # Copying the columns of a few rows costs less than attending in all rows; of most rows, more. Where each row
        # has many tokens, attending costs more than copying.
        wide = max(len(batch[i].ids) for i in part) > NARROW[0]
        everyone = len(members) == self.rows or (not wide and 2 * len(members) >= self.rows)
        slots = list(range(self.rows)) if everyone else list(members)
        queues = [_span(starts, members[slot]) if slot in members else range(0) for slot in slots]
        tokens = _lines(queues)  # (N, Q)
        used = max(batch[i].visible.shape[1] for i in part)
        visible = np.zeros((*tokens.shape, used), bool)
        for number, slot in enumerate(slots):
            if slot in members:
                seen = batch[members[slot]].visible
                visible[number, : seen.shape[0], : seen.shape[1]] = seen
        rows = None if everyone else self._index(slots)
        return Grid(
            memory=self.row_store,
            rows=rows,
            tokens=tokens,
            columns=used,
            visible=torch.from_numpy(visible).to(self.row_store.device),
            token_position=position,
            column_position=(self.positions if rows is None else self.positions[rows])[:, :used],
        )

    def _context_grids(
        self, batch: Sequence[NewTokens[Any]], starts: list[int], position: Tensor
    ) -> list[Grid]:
        """Every row before its context; wide rows, which are few at a time and would pad the others, apart."""
        grids = []
        for panel in self.contexts.panels:
            index = {number: i for i, number in enumerate(panel.numbers)}
            # For each width, the tokens that look at each context.
            parts: list[list[list[int]]] = [[[] for _ in index] for _ in range(len(self.widths) + 1)]
            for row, new in enumerate(batch):
                number = index.get(new.row.context)
                if number is not None:
                    parts[bisect_left(self.widths, len(new.ids))][number] += _span(starts, row)
            grids += [self._context_grid(panel, queues, position) for queues in parts if any(queues)]
        return grids

    def _context_grid(self, panel: Panel, queues: list[list[int]], position: Tensor) -> Grid:
        """Contexts of a panel with the tokens that look at each."""
        used = [number for number, queue in enumerate(queues) if queue]
        everyone = 2 * len(used) >= len(queues)  # as above
        if not everyone:
            queues = [queues[number] for number in used]
        lengths = panel.lengths if everyone else [panel.lengths[number] for number in used]
        longest = max(lengths)
        steps = torch.arange(longest, device=self.row_store.device)[None]  # (1, L)
        return Grid(
            memory=panel.store,
            rows=None if everyone else self._index(used),
            tokens=_lines(queues),
            columns=longest,
            visible=None if min(lengths) == longest else (steps < self._index(lengths)[:, None])[:, None],
            token_position=position,
            column_position=steps,
        )

    def _index(self, numbers: Any) -> Tensor:
        """Numbers as an index tensor on the cache's device."""
        return torch.as_tensor(np.asarray(numbers, dtype=np.int64)).to(self.row_store.device)


def _span(starts: list[int], row: int) -> range:
    """The numbers of a row's tokens in the step."""
    return range(starts[row], starts[row + 1])


def _lines(queues: Sequence[Sequence[int]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Numbers of tokens, one line for each queue, filled up to the longest."""
    lines = np.full((len(queues), max(map(len, queues))), NOBODY, np.int64)
    for line, queue in zip(lines, queues, strict=True):
        line[: len(queue)] = queue
    return lines
