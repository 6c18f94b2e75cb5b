"""What a table is, before anyone decides how it looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar

Kind: TypeAlias = Literal["text", "number", "measure", "p", "percent"]
"""How a column is shown: numbers with fixed decimals, measures with three digits that count, a share of 0.5 as 50%,
a p-value of 0.00001 as <0.001."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column and how its entries are shown."""

    title: str
    kind: Kind = "text"
    decimals: int = 3
    group: str = ""
    """A heading that neighbouring columns share, such as a data set."""
    explanation: str = ""
    """Shown when the pointer rests on the title."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell: text in a column of texts, otherwise a number or why there is none."""

    text: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    """A 95% interval."""
    cluster: int | None = None
    """Of significance: 1 is the best."""
    best: bool = False
    mark: str = ""
    """A sign in front of the number, such as an arrow."""
    note: str = ""
    """For readers who want to know more of the number."""
    reason: str = ""
    """Why the number is undefined; dropped where there is one. Neither a number nor a reason: not computed."""

    def __post_init__(self) -> None:
        """Let no number be shown that is none, and no reason for one that is there."""
        if self.value is not None and not math.isfinite(self.value):
            object.__setattr__(self, "reason", self.reason or f"the result is {self.value}")
            object.__setattr__(self, "value", None)
        elif self.value is not None:
            object.__setattr__(self, "reason", "")


Line: TypeAlias = tuple[TableCell, ...]
"""The cells of one row."""
Shown: TypeAlias = str | float | TableCell | None
"""What a cell is made of: a text, a number, or the cell itself."""
T = TypeVar("T")


def line(*cells: Shown) -> Line:
    """Make a row; a text or a number stands for a cell that shows it."""
    return tuple(
        cell
        if isinstance(cell, TableCell)
        else TableCell(cell)
        if isinstance(cell, str)
        else TableCell(value=cell)
        for cell in cells
    )


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its name, which is also the name of its files."""

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Line, ...]

    def __post_init__(self) -> None:
        """Refuse rows that do not fit the columns."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.name}: {len(row)} entries for {len(self.columns)} columns")

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """The headings above the columns and how many columns each spans; empty where there are none."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and spans[-1][0] == column.group:
                spans[-1] = (column.group, spans[-1][1] + 1)
            else:
                spans.append((column.group, 1))
        return tuple(spans) if any(group for group, _ in spans) else ()


def listing(
    name: str, title: str, caption: str, things: Iterable[T], *fields: tuple[Column, Callable[[T], Shown]]
) -> Table:
    """Make a table with a row for each thing; each column comes with what it shows of a thing."""
    rows = tuple(line(*(get(thing) for _, get in fields)) for thing in things)
    return Table(name, title, caption, tuple(column for column, _ in fields), rows)


def mark_best(
    rows: Iterable[Line], column: int, choose: Callable[[Sequence[float]], float] = max
) -> list[Line]:
    """Mark the best number of a column, and all that equal it; a column of fewer than two has no best."""
    lines = list(rows)
    values = [value for line in lines if (value := line[column].value) is not None]
    if len(values) < 2:
        return lines
    best = choose(values)
    return [
        (*line[:column], replace(line[column], best=line[column].value == best), *line[column + 1 :])
        for line in lines
    ]


def without_empty_columns(table: Table) -> Table:
    """Drop the columns of numbers in which nothing was computed."""
    kept = [
        index
        for index, column in enumerate(table.columns)
        if column.kind == "text"
        or any(row[index].value is not None or row[index].reason for row in table.rows)
    ]
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )
