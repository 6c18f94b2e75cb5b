"""Human ratings as files have them: numbers, lists of numbers, numbers by name, tables of the original releases."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from mars_score.errors import InputError
from mars_score.io import delimited
from mars_score.io.source import open_input, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


# Human ratings as files have them: numbers, lists of numbers, numbers by name.


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


# The tables of the original releases: a header, then rows whose last cells may be missing.


def header(path: str) -> list[str]:
    """Return the column names of a csv file; empty for an empty file."""
    with open_input(path) as stream:
        _, cells = next(delimited.records(pieces(stream, path), path, ","), (1, []))
    return [cell.strip() for cell in cells]


def read(path: str, needed: Sequence[str], what: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the cells by name of each row of a csv file with at least the needed columns."""
    with open_input(path) as stream:
        rows = delimited.records(pieces(stream, path), path, ",")
        start, cells = next(rows, (1, []))
        names = [cell.strip() for cell in cells]
        _check_header(names, needed, what, path, start)
        for line, found in rows:
            _check_width(found, names, needed, path, line)
            # Crowdsourcing exports leave out trailing cells that were never filled, so a row may be shorter.
            yield line, dict(zip(names, found, strict=False))


def _check_header(names: list[str], needed: Sequence[str], what: str, path: str, line: int) -> None:
    missing = [name for name in needed if name not in names]
    if missing:
        raise InputError(
            f"the header has no column {missing[0]!r}, so this is not {what}",
            path=path,
            line=line,
            remedy=f"the columns must be {', '.join(needed[:12])}{', ...' * (len(needed) > 12)};"
            " if the file has another format, name it: format=...",
        )
    twice = next((name for name in needed if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"the header has {names.count(twice)} columns {twice!r}",
            path=path,
            line=line,
            remedy="rename all but one",
        )


def _check_width(cells: list[str], names: list[str], needed: Sequence[str], path: str, line: int) -> None:
    least = 1 + max(names.index(name) for name in needed)
    if not least <= len(cells) <= len(names):
        raise InputError(
            f"the row has {len(cells)} cells, but the header has {len(names)}",
            path=path,
            line=line,
            remedy="a cell that holds a comma, a quote or a line break must be quoted, and its quotes doubled",
        )
