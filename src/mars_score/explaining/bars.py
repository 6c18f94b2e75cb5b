"""Bars for numbers: places in per cent of a bar's width."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar between two places; `zero` is where nothing is."""

    start: float
    width: float
    zero: float
    below: bool = False
    """Whether it takes away."""


def scaled(values: Sequence[float]) -> list[Bar]:
    """Return a bar for each number, from 0 on; all have one scale, which reaches at least from 0 to 1."""
    return _bars([(0.0, value) for value in values])


def falling(amounts: Sequence[float]) -> list[Bar]:
    """Return bars that begin where the one before ended, so that one sees them add up; the last is their sum."""
    ends = list(accumulate(amounts, initial=0.0))
    return _bars([*pairwise(ends), (0.0, ends[-1])])


def _bars(spans: Sequence[tuple[float, float]]) -> list[Bar]:
    places = [place for span in spans for place in span]
    low, high = min([0.0, *places]), max([1.0, *places])

    def at(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    return [
        Bar(min(at(start), at(end)), round(abs(at(end) - at(start)), 2), at(0.0), end < start)
        for start, end in spans
    ]
