"""A part of a data set for a trial."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mars_score.datasets.base import Dataset


def first_items(dataset: Dataset, rows: int) -> Dataset:
    """Keep whole items, in the order in which they appear, as long as they are at most so many rows; at least one."""
    sizes: dict[str, int] = {}
    for row in dataset:
        sizes[row.item] = sizes.get(row.item, 0) + 1
    kept: set[str] = set()
    total = 0
    for item, size in sizes.items():
        if kept and total + size > rows:
            break
        kept.add(item)
        total += size
    return replace(dataset, rows=tuple(row for row in dataset if row.item in kept))
