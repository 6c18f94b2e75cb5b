"""The keys and values of one batch: a copy of each context, and a few columns of its own for each row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from mars_score.infilling.attention import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.infilling.language_model import LanguageModel
    from mars_score.infilling.rows import Row, Strand


@dataclass(frozen=True, slots=True)
class NewTokens:
    """What one row reads in a step: token ids with their columns, positions and what they see."""

    row: Row
    ids: list[int]
    columns: list[int]
    positions: list[int]
    """Counted from the row's first column."""
    visible: Tensor
    """(Q, columns) bool."""


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
    contexts: dict[int, Tensor] = field(default_factory=dict)
    """Context number -> (layers, 2, K, length, D)."""

    def __post_init__(self) -> None:
        layers, heads, size = self.model.kv_shape
        shape = (layers, 2, self.rows, heads, self.columns, size)
        # Zeros, not whatever memory holds: a masked column is multiplied by 0, and 0 times NaN is NaN.
        self.own = torch.zeros(shape, dtype=self.model.head.weight.dtype, device=self.model.device)
        self.positions = torch.zeros(self.rows, self.columns, dtype=torch.long, device=self.model.device)

    def new_context(self, length: int) -> Tensor:
        """Room for a context of this length."""
        layers, heads, size = self.model.kv_shape
        return self.own.new_empty(layers, 2, heads, length, size)

    def move(self, moves: Sequence[tuple[int, int, int]]) -> None:
        """Copy columns inside their rows: (slot, from, to)."""
        if moves:
            slot, source, target = torch.tensor(moves, device=self.own.device).T
            self.own[:, :, slot, :, target] = self.own[:, :, slot, :, source]
            self.positions[slot, target] = self.positions[slot, source]

    def step(self, batch: Sequence[NewTokens]) -> tuple[Tensor, Tensor, Step]:
        """Lay out the new tokens of rows that are ordered by context: ids (T,), positions (T,), and the view."""
        device = self.own.device
        longest = max(len(new.ids) for new in batch)
        used = max(max(new.columns) for new in batch) + 1
        # With a token or two a row, padding the rows that rest costs less than copying the cache of the others.
        everyone = longest <= 2
        n = self.rows if everyone else len(batch)
        visible = torch.zeros(n, longest, used, dtype=torch.bool)
        contexts: dict[int, int] = {}
        places: list[tuple[int, int, int, int, int, int]] = []
        for order, new in enumerate(batch):
            index = new.row.slot if everyone else order
            visible[index, : len(new.ids), : new.visible.shape[1]] = new.visible
            contexts[new.row.context] = contexts.get(new.row.context, 0) + len(new.ids)
            places += [
                (token, new.row.slot, column, new.row.context_length + position, index, place)
                for place, (token, column, position) in enumerate(
                    zip(new.ids, new.columns, new.positions, strict=True)
                )
            ]
        ids, slot, column, position, row, place = torch.tensor(places, device=device).T
        self.positions[slot, column] = position
        rows = None if everyone else torch.tensor([new.row.slot for new in batch], device=device)
        view = Step(
            cache=self.own,
            contexts=[self.contexts[number] for number in contexts],
            context_tokens=list(contexts.values()),
            slot=slot,
            column=column,
            position=position,
            row=row,
            place=place,
            rows=rows,
            size=(n, longest, used),
            visible=visible.to(device),
            column_position=(self.positions if rows is None else self.positions[rows])[:, :used],
        )
        return ids, position, view


def reading(row: Row) -> NewTokens:
    """The row's pending text, read after what it has."""
    count = len(row.pending)
    columns = list(range(row.length, row.length + count))
    seen = torch.ones(count, row.length + count, dtype=torch.bool).tril(row.length)
    return NewTokens(row, row.pending, columns, columns, seen)


def growing(row: Row, strands: Sequence[Strand]) -> NewTokens:
    """The newest token of each strand; strands do not see each other."""
    seen = torch.zeros(len(strands), row.used, dtype=torch.bool)
    seen[:, : row.length] = True
    for index, strand in enumerate(strands):
        seen[index, strand.columns] = True
    return NewTokens(
        row,
        ids=[strand.tokens[-1] for strand in strands],
        columns=[strand.columns[-1] for strand in strands],
        positions=[row.length + len(strand.tokens) - 1 for strand in strands],
        visible=seen,
    )


def judging(row: Row) -> NewTokens:
    """The next block after each guess: a tree whose branches do not see each other."""
    branches = row.branches
    seen = torch.zeros(len(branches), row.used + len(branches), dtype=torch.bool)
    seen[:, : row.length] = True
    for index, (guess, place) in enumerate(branches):
        seen[index, row.strands[guess.strand].columns[: guess.length]] = True
        branch = row.used + index - place
        seen[index, branch : branch + place + 1] = True
    return NewTokens(
        row,
        ids=[row.following[place] for _, place in branches],
        columns=list(range(row.used, row.used + len(branches))),
        positions=[row.length + guess.length + place for guess, place in branches],
        visible=seen,
    )
