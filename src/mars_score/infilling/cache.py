"""The keys and values of one batch: a copy of each context, and a few columns of its own for each row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from mars_score.infilling.panels import Panels
from mars_score.infilling.step import Grid, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.infilling.language_model import LanguageModel
    from mars_score.infilling.layout import NewTokens

NARROW = 2
"""Rows that read at most this many tokens in a step are laid out apart from those that read more."""


@dataclass(slots=True)
class Cache:
    """Slots for rows, and the contexts that they share."""

    model: LanguageModel
    rows: int
    columns: int
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

    def step(self, batch: Sequence[NewTokens]) -> tuple[Tensor, Tensor, Step]:
        """Lay out the new tokens of rows in the order of their contexts: ids (T,), positions (T,), the view."""
        starts = np.cumsum([0, *(len(new.ids) for new in batch)]).tolist()
        tokens = [
            (token, new.row.slot, column, new.row.context_length + position)
            for new in batch
            for token, column, position in zip(new.ids, new.columns, new.positions, strict=True)
        ]
        ids, slot, column, position = torch.tensor(tokens, device=self.own.device).T
        self.positions[slot, column] = position
        narrow = [i for i, new in enumerate(batch) if len(new.ids) <= NARROW]
        wide = [i for i, new in enumerate(batch) if len(new.ids) > NARROW]
        own = [self._own_grid(batch, starts, part, position) for part in (narrow, wide) if part]
        return ids, position, Step(self.own, slot, column, own, self._context_grids(batch, starts, position))

    def _own_grid(
        self, batch: Sequence[NewTokens], starts: list[int], part: list[int], position: Tensor
    ) -> Grid:
        """Some rows before their own columns."""
        members = [batch[i] for i in part]
        longest = max(len(new.ids) for new in members)
        used = max(new.visible.shape[1] for new in members)
        # Copying the columns of a few rows costs less than attending in all rows; of most rows, more.
        everyone = 2 * len(members) >= self.rows
        visible = np.zeros((self.rows if everyone else len(members), longest, used), bool)
        numbers = [new.row.slot for new in members] if everyone else list(range(len(members)))
        for number, new in zip(numbers, members, strict=True):
            visible[number, : len(new.ids), : new.visible.shape[1]] = new.visible
        counts = [len(new.ids) for new in members]
        tokens = (
            slice(None)
            if len(part) == len(batch)
            else self._index(_ranges([starts[i] for i in part], counts))
        )
        rows = None if everyone else self._index([new.row.slot for new in members])
        return Grid(
            memory=self.own,
            rows=rows,
            tokens=tokens,
            row=self._index(np.repeat(numbers, counts)),
            place=self._index(_ranges([0] * len(counts), counts)),
            size=(len(visible), longest, used),
            visible=torch.from_numpy(visible).to(self.own.device),
            token_position=position[tokens],
            column_position=(self.positions[: self.rows] if rows is None else self.positions[rows])[:, :used],
        )

    def _context_grids(self, batch: Sequence[NewTokens], starts: list[int], position: Tensor) -> list[Grid]:
        """Every row before its context.

        The narrow rows of a panel stand in one grid. Wide rows are few at a time, and would pad all the others:
        theirs is a grid for each context.
        """
        grids = []
        for panel in self.contexts.panels:
            index = {number: i for i, number in enumerate(panel.numbers)}
            narrow: list[tuple[int, int]] = []  # (number in the panel, row of the batch)
            wide: dict[int, list[tuple[int, int]]] = {}
            for row, new in enumerate(batch):
                number = index.get(new.row.context)
                if number is not None and len(new.ids) <= NARROW:
                    narrow.append((number, row))
                elif number is not None:
                    wide.setdefault(number, []).append((0, row))
            if narrow:
                grids.append(self._context_grid(panel.store, panel.lengths, narrow, batch, starts, position))
            for number, rows in wide.items():
                length = panel.lengths[number]
                store = panel.store[:, :, number : number + 1]
                grids.append(self._context_grid(store, [length], rows, batch, starts, position))
        return grids

    def _context_grid(
        self, store: Tensor, lengths: list[int], rows: list[tuple[int, int]],
        batch: Sequence[NewTokens], starts: list[int], position: Tensor,
    ) -> Grid:  # fmt: skip
        """Some rows before their contexts, whose keys and values are `store` (layers, 2, C, K, L, D)."""
        counts = [0] * len(lengths)
        sequence: list[int] = []
        place: list[int] = []
        tokens: list[int] = []
        for number, row in rows:
            new = len(batch[row].ids)
            sequence += [number] * new
            place += range(counts[number], counts[number] + new)
            tokens += range(starts[row], starts[row] + new)
            counts[number] += new
        longest = max(lengths)
        steps = torch.arange(longest, device=self.own.device)[None]  # (1, L)
        chosen = self._index(tokens)
        return Grid(
            memory=store,
            rows=None,
            tokens=chosen,
            row=self._index(sequence),
            place=self._index(place),
            size=(len(lengths), max(counts), longest),
            visible=None if min(lengths) == longest else (steps < self._index(lengths)[:, None])[:, None],
            token_position=position[chosen],
            column_position=steps,
        )

    def _index(self, numbers: Any) -> Tensor:
        """Numbers as an index tensor on the cache's device."""
        return torch.as_tensor(np.asarray(numbers, dtype=np.int64)).to(self.own.device)


def _ranges(starts: Sequence[int], counts: Sequence[int]) -> list[int]:
    """start, start + 1, ... for each start, so many as its count."""
    return [start + i for start, count in zip(starts, counts, strict=True) for i in range(count)]
