"""Human ratings as files have them: numbers, lists of numbers, numbers by name."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from mars_score.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is, for its errors."""

    path: str
    line: int
    item: str

    def fail(self, problem: str, remedy: str) -> NoReturn:
        """Refuse the row."""
        raise InputError(f"item {self.item!r}: {problem}", path=self.path, line=self.line, remedy=remedy)


def number(value: object, name: str, place: Place) -> float | None:
    """Return a number, also one written as text; null, NaN and an empty text are no rating."""
    if isinstance(value, str):
        if not value.strip():
            return None
        text = value[:40]
        try:
            value = float(value)
        except ValueError:
            place.fail(f"{name} must be a number, not {text!r}", "write a number, or null for no rating")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        place.fail(
            f"{name} must be a number, not {json.dumps(value)[:40]}", "write a number, or null for no rating"
        )
    # This is false of NaN too, and true or false of whole numbers that no float can hold.
    return float(value) if abs(value) < 1e300 else None


def number_list(value: object, name: str, place: Place) -> tuple[float, ...]:
    """Return a list of numbers, which a cell of a table holds as JSON; raters without a rating are left out."""
    if isinstance(value, str) and value.strip():
        value = _json(value, name, place, "[3, 4, 5]")
    if value is None or value == "":
        return ()
    if not isinstance(value, list):
        place.fail(f"{name} must be a list of numbers", "write a list such as [3, 4, 5], or null")
    numbers = [number(one, f"{name}[{index} of {len(value)}]", place) for index, one in enumerate(value, 1)]
    return tuple(one for one in numbers if one is not None)


def named_numbers(value: object, name: str, place: Place) -> dict[str, float]:
    """Return numbers by name, which a cell of a table holds as JSON; names without a number are left out."""
    if isinstance(value, str) and value.strip():
        value = _json(value, name, place, '{"fluency": 4}')
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        place.fail(f"{name} must be an object of numbers", 'write an object such as {"fluency": 4}, or null')
    numbers = {key: number(one, f"{name}.{key}", place) for key, one in value.items()}
    return {key: one for key, one in numbers.items() if one is not None}


def mean(numbers: Sequence[float]) -> float:
    """Return the mean, summed without rounding so that it does not depend on the order of raters."""
    return math.fsum(numbers) / len(numbers)


def _json(text: str, name: str, place: Place, example: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        place.fail(f"{name} is not JSON: {text[:40]!r}", f"write it as {example}")
