"""The keys and values of one batch: a copy of each context, and a few columns of its own for each row."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from mars_score.infilling.decoder.attention import NOBODY, Grid, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torch import Tensor

    from mars_score.infilling.decoder.state import NewTokens
    from mars_score.lm.causal import LanguageModel

NARROW = (2,)
"""Rows that read at most this many tokens in a step are laid out apart from those that read more."""


@dataclass(slots=True)
class Panel:
    """Contexts of like length that were read together."""

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
    own: Tensor = field(init=False)
    """(layers, 2, R, K, S, D)."""
    positions: Tensor = field(init=False)
    """(R, S) the text position of each column."""
    contexts: Panels = field(init=False)

    def __post_init__(self) -> None:
        layers, heads, size = self.model.kv_shape
        shape = (layers, 2, self.rows, heads, self.columns, size)
        # Zeros, not whatever memory holds: a masked column is multiplied by 0, and 0 times NaN is NaN.
        self.own = torch.zeros(shape, dtype=self.model.head.weight.dtype, device=self.model.device)
        self.positions = torch.zeros(self.rows, self.columns, dtype=torch.long, device=self.model.device)
        self.contexts = Panels(self.model.kv_shape, self.own)

    def shrink(self, rows: int, moves: Sequence[tuple[int, int]]) -> None:
        """Copy rows to other slots (from, to), and let go of the slots from number `rows` on."""
        # Row by row, and then a view: a copy of all would need memory when most of it is in use.
        for source, target in moves:
            self.own[:, :, target], self.positions[target] = self.own[:, :, source], self.positions[source]
        self.own, self.positions, self.rows = self.own[:, :, :rows], self.positions[:rows], rows

    def move(self, moves: Sequence[tuple[int, int, int]]) -> None:
        """Copy columns inside their rows: (slot, from, to)."""
        if moves:
            slot, source, target = torch.tensor(moves, device=self.own.device).T
            self.own[:, :, slot, :, target] = self.own[:, :, slot, :, source]
            self.positions[slot, target] = self.positions[slot, source]

    def step(self, batch: Sequence[NewTokens[Any]]) -> tuple[Tensor, Tensor, Step]:
        """Lay out the new tokens of rows in the order of their contexts: ids (T,), positions (T,), the view."""
        starts = np.cumsum([0, *(len(new.ids) for new in batch)]).tolist()
        tokens = [
            (token, new.row.slot, column, new.row.context_length + position)
            for new in batch
            for token, column, position in zip(new.ids, new.columns, new.positions, strict=True)
        ]
        ids, slot, column, position = torch.tensor(tokens, device=self.own.device).T
        self.positions[slot, column] = position
        kinds = [bisect_left(self.widths, len(new.ids)) for new in batch]
        parts = [[i for i, kind in enumerate(kinds) if kind == part] for part in range(len(self.widths) + 1)]
        own = [self._own_grid(batch, starts, part, position) for part in parts if part]
        return ids, position, Step(self.own, slot, column, own, self._context_grids(batch, starts, position))

    def _own_grid(
        self, batch: Sequence[NewTokens[Any]], starts: list[int], part: list[int], position: Tensor
    ) -> Grid:
        """Some rows before their own columns."""
        members = {batch[i].row.slot: i for i in part}  # slot: row of the batch
        # Copying the columns of a few rows costs less than attending in all rows; of most rows, more.
        everyone = 2 * len(members) >= self.rows
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
            memory=self.own,
            rows=rows,
            tokens=tokens,
            columns=used,
            visible=torch.from_numpy(visible).to(self.own.device),
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
        steps = torch.arange(longest, device=self.own.device)[None]  # (1, L)
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
        return torch.as_tensor(np.asarray(numbers, dtype=np.int64)).to(self.own.device)


def _span(starts: list[int], row: int) -> range:
    """The numbers of a row's tokens in the step."""
    return range(starts[row], starts[row + 1])


def _lines(queues: Sequence[Sequence[int]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Numbers of tokens, one line for each queue, filled up to the longest."""
    lines = np.full((len(queues), max(map(len, queues))), NOBODY, np.int64)
    for line, queue in zip(lines, queues, strict=True):
        line[: len(queue)] = queue
    return lines
