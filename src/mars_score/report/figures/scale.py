"""From numbers to places on the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight-line map from values to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Return round values within the scale."""
        step = _step(self.high - self.low, about)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(place * step, 10) for place in range(first, last + 1)]


def covering(values: Iterable[float], start: float, end: float, *, about: int = 5) -> Scale:
    """Return a scale from a round value below all values to a round one above."""
    known = list(values) or [0.0, 1.0]
    low, high = min(known), max(known)
    if low == high:
        low, high = low - 0.5, high + 0.5
    step = _step(high - low, about)
    return Scale(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, start, end)


def short(value: float) -> str:
    """Return a value as a tick's label."""
    return f"{value:.6g}".replace("-", "\N{MINUS SIGN}")


def _step(width: float, about: int) -> float:
    rough = width / about
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
