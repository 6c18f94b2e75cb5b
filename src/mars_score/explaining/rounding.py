"""Numbers that still add up when they are rounded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def adding_up(values: Sequence[float], decimals: int) -> list[float]:
    """Round numbers so that they add up to their rounded sum; each moves by less than one unit.

    All are rounded down, and then those that lost most are given a unit back (Hamilton's method).
    """
    scaled = [value * 10**decimals for value in values]
    units = [math.floor(value) for value in scaled]
    missing = round(sum(scaled)) - sum(units)
    lost = sorted(range(len(values)), key=lambda place: units[place] - scaled[place])
    for place in lost[:missing]:
        units[place] += 1
    return [unit / 10**decimals for unit in units]
