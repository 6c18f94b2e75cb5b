"""The fields of a row: a raw mapping becomes an ``Example``, or an error that names the item."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from mars_score.errors import InputError
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.files.field_names import FieldNames
    from mars_score.files.rows import RawRow


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a row is, for its errors."""

    path: str
    line: int
    item: str

    def fail(self, problem: str, remedy: str) -> NoReturn:
        raise InputError(f"item {self.item!r}: {problem}", path=self.path, line=self.line, remedy=remedy)


def to_example(row: RawRow, number: int, names: FieldNames, path: str) -> Example:
    """Read the fields of the row of this number (from 1); fields that are not asked for are ignored."""
    values, place = row.values, _Place(path, row.line, str(number))
    if (missing := names.missing(values)) is not None:
        raise InputError(
            f"no field {names.describe(missing)}", path=path, line=row.line, remedy=names.remedy(values)
        )
    identity = _identity(values.get(names.names["id"]), number, place)
    place = _Place(path, row.line, identity)
    candidate = _text(values[names.names["candidate"]], names.names["candidate"], place)
    if candidate is None:
        place.fail(
            f"{names.names['candidate']} is null or NaN",
            'leave the row out, or write "" if the system really wrote nothing',
        )
    references, (context, question) = _references(row, names, place), _context(row, names, place)
    return Example(identity, candidate, references, context, question)


def _identity(value: object, number: int, place: _Place) -> str:
    """Return the row's id: its own, or its number where it has none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = _text(value, "id", place)
    return text if text and text.strip() else str(number)


def _context(row: RawRow, names: FieldNames, place: _Place) -> tuple[str, str]:
    """Return context and question joined, since a QA system is given both, and the question again."""
    given = [names.names["context"], names.names["question"]]
    context, question = [_text(row.values.get(name), name, place) or "" for name in given]
    return "\n".join(part for part in (context, question) if part), question


def _references(row: RawRow, names: FieldNames, place: _Place) -> tuple[str, ...]:
    """Return ``references``, else ``reference``, and then the numbered ones."""
    texts: list[str] = []
    for field in ("references", "reference"):
        name = names.names.get(field)
        if name is not None and not _is_null(value := row.values.get(name)):
            texts += _reference_list(value, name, place)
            break
    for name in names.numbered(row.values):
        text = _text(row.values[name], name, place)
        if text and text.strip():
            texts.append(text)
    if not texts:
        place.fail("no reference: all are null or blank", "give at least one reference, or leave the row out")
    return tuple(texts)


def _reference_list(value: object, name: str, place: _Place) -> list[str]:
    """Check one reference or a list of them."""
    if not isinstance(value, list):
        return [_reference(value, name, place, "give a reference, or leave the row out")]
    if not value:
        place.fail(f"{name} is an empty list", "give at least one reference, or leave the row out")
    return [
        _reference(text, f"{name}[{index} of {len(value)}]", place, "leave it out of the list")
        for index, text in enumerate(value, 1)
    ]


def _reference(value: object, label: str, place: _Place, remedy: str) -> str:
    text = _text(value, label, place)
    if text is None or not text.strip():
        place.fail(f"{label} is {'null or NaN' if text is None else 'blank'}", remedy)
    return text


def _text(value: object, name: str, place: _Place) -> str | None:
    """Return a text, or ``None`` for null."""
    if _is_null(value):
        return None
    if not isinstance(value, str):
        kind, remedy = _KINDS.get(
            type(value), (f"a value of type {type(value).__name__}", "write it as text")
        )
        place.fail(f"{name} must be text, not {kind}", remedy)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        code = f"\\u{ord(value[error.start]):04x}"
        place.fail(
            f"{name} has a lone surrogate ({code}) at character {error.start + 1}, which is no text",
            "remove it: it is half of a character that was cut in two, such as an emoji",
        )
    return value


def _is_null(value: object) -> bool:
    """Tell whether a value stands for nothing; data frames write NaN for that."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


_QUOTE = "write it as text, in quotes"
_KINDS = {
    bool: ("true or false", _QUOTE),
    int: ("a number", _QUOTE),
    float: ("a number", _QUOTE),
    list: (
        "a list",
        "join its parts into one text (turns of a dialogue: one a line), or write a row for each",
    ),
    dict: ("an object", "give the part of it that holds the text"),
    bytes: ("bytes", "store the column as UTF-8 text"),
}
