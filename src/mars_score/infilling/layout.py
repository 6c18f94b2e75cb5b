"""What a row reads next, as token ids with the columns and positions they take and what they may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.infilling.rows import Row, Strand


@dataclass(frozen=True, slots=True)
class NewTokens:
    """What one row reads in a step."""

    row: Row
    ids: list[int]
    columns: list[int]
    positions: list[int]
    """Counted from the row's first column."""
    visible: np.ndarray[Any, np.dtype[np.bool_]]
    """(Q, columns): which of the row's columns each token sees."""


def reading(row: Row) -> NewTokens:
    """The row's pending text, read after what it has."""
    count = len(row.pending)
    columns = list(range(row.length, row.length + count))
    return NewTokens(row, row.pending, columns, columns, np.tri(count, row.length + count, row.length, bool))


def growing(row: Row, strands: Sequence[Strand]) -> NewTokens:
    """The newest token of each strand; strands do not see each other."""
    seen = np.zeros((len(strands), row.used), bool)
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
    seen = np.zeros((len(branches), row.used + len(branches)), bool)
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
