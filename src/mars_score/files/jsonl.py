"""JSON lines: one object a line; blank lines are skipped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.files.rows import RawRow
from mars_score.files.text_lines import lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SAMPLE = '{"candidate": "...", "references": ["..."], "context": "..."}'
_REMEDY = f"each line must be one whole JSON object like {SAMPLE}; one list of such objects is a .json file"


def rows(parts: Iterable[tuple[int, str]], path: str) -> Iterator[RawRow]:
    """Yield the object of each line."""
    for number, text in lines(parts):
        if text.strip():
            yield RawRow(number, _object(text, path, number))


def broken(error: ValueError | RecursionError, path: str, line: int, column: int, remedy: str) -> InputError:
    """Return the error for JSON that cannot be parsed."""
    if isinstance(error, json.JSONDecodeError):
        return InputError(f"broken JSON: {error.msg}", path=path, line=line, column=column, remedy=remedy)
    # The parser has two limits of its own: how deep values nest, and how many digits a whole number has.
    limit = "values nest too deep" if isinstance(error, RecursionError) else "a number has too many digits"
    return InputError(f"JSON out of bounds: {limit}", path=path, line=line, column=column, remedy=remedy)


def not_an_object(value: object, path: str, line: int, column: int, remedy: str) -> InputError:
    """Return the error for JSON that is no row."""
    kind = {list: "a list", str: "a text", type(None): "null", bool: "true or false"}.get(
        type(value), "a number"
    )
    return InputError(
        f"a row must be an object, not {kind}", path=path, line=line, column=column, remedy=remedy
    )


def _object(text: str, path: str, line: int) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        column = error.colno if isinstance(error, json.JSONDecodeError) else 1
        raise broken(error, path, line, column, _REMEDY) from error
    if not isinstance(value, dict):
        raise not_an_object(value, path, line, 1, _REMEDY)
    return value
