"""What the statistics are given: the rows of a data set with a metric's score and people's score each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mars_score.errors import ConfigError, InputError, did_you_mean

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows judged by one metric and by people; all arrays have one entry a row."""

    metric: Floats
    """NaN where the metric is not defined."""
    human: Floats
    """NaN where nobody rated."""
    items: Indices
    """Numbers of :attr:`item_names`: rows of one item share context and references."""
    systems: Indices
    """Numbers of :attr:`system_names`."""
    item_names: tuple[str, ...]
    """Sorted, so that random draws do not depend on the order of rows."""
    system_names: tuple[str, ...]
    """Sorted."""

    def __len__(self) -> int:
        return len(self.metric)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which rows have both scores."""
        return np.isfinite(self.metric) & np.isfinite(self.human)

    @property
    def left_out(self) -> int:
        """How many rows lack a score."""
        return int((~self.usable).sum())


def scored(
    metric: Sequence[float | None] | Floats,
    human: Sequence[float | None] | Floats,
    items: Sequence[str],
    systems: Sequence[str],
) -> Scored:
    """Bring rows into the form that the statistics take; None, NaN and infinities count as missing."""
    if len({len(metric), len(human), len(items), len(systems)}) != 1:
        raise InputError(
            f"{len(metric)} metric scores, {len(human)} human scores, {len(items)} items and "
            f"{len(systems)} systems",
            remedy="give one of each for every row",
        )
    item_names, item_codes = _codes(items)
    system_names, system_codes = _codes(systems)
    return Scored(numbers(metric), numbers(human), item_codes, system_codes, item_names, system_names)


def numbers(values: Sequence[float | None] | Floats) -> Floats:
    """The values as an array, NaN for whatever is not a finite number."""
    array = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    array[~np.isfinite(array)] = np.nan
    return array


def usable_rows(rows: Scored) -> Scored:
    """The rows with both scores, in an order that depends on their content alone.

    Sums of floats depend on their order in the last digits, and random draws are made row by row: so equal
    rows give equal results to the last bit, however they were ordered in the file.
    """
    order = np.lexsort((rows.metric, rows.human, rows.systems, rows.items))
    return take(rows, order[rows.usable[order]])


def take(rows: Scored, chosen: Indices | NDArray[np.bool_]) -> Scored:
    """Some of the rows; the names and their numbers stay."""
    return Scored(
        rows.metric[chosen],
        rows.human[chosen],
        rows.items[chosen],
        rows.systems[chosen],
        rows.item_names,
        rows.system_names,
    )


def only_system(rows: Scored, name: str) -> Scored:
    """One system's rows, as for a column of the paper's table 3; items keep their numbers, and so the draws."""
    if name not in rows.system_names:
        raise ConfigError(f"unknown system {name!r}.{did_you_mean(name, rows.system_names)}")
    return take(rows, rows.systems == rows.system_names.index(name))


def groups(codes: Indices, count: int) -> list[Indices]:
    """For each number below `count` the positions that have it, in their order."""
    if count == 0:
        return []
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(1, count)))


def _codes(names: Sequence[str]) -> tuple[tuple[str, ...], Indices]:
    distinct = sorted(set(names))
    number = {name: index for index, name in enumerate(distinct)}
    return tuple(distinct), np.array([number[name] for name in names], dtype=np.intp)
