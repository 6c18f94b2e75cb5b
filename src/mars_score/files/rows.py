"""The rows at the two ends: as read from a file, and as written to one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row of an input file, before its fields are looked at."""

    line: int
    """The line that the row starts on; in Parquet, which has no lines, the row's number."""
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row of results."""

    id: str
    scores: dict[str, float | None]
    """One number for each metric; ``None`` where a metric is undefined."""
    flags: tuple[str, ...] = ()

    def numbers(self) -> dict[str, float | None]:
        """Return the scores as they are stored: neither JSON nor a spreadsheet knows NaN or infinity."""
        return {
            name: None if score is None or not math.isfinite(score) else score
            for name, score in self.scores.items()
        }


@dataclass(frozen=True, slots=True)
class Kept:
    """What is to stay of an output that is gone on with."""

    rows: int = 0
    size: int = 0
    """In bytes, up to the end of the last row."""
