"""The project's own format: one row an item, with its rating in ``human``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.io import delimited, json_rows
from mars_score.io.datasets.base import Rated
from mars_score.io.datasets.ratings import Place, mean, named_numbers, number, number_list
from mars_score.io.fields import FIELDS, field_names, to_example
from mars_score.io.source import open_input, pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mars_score.io.fields import FieldNames, RawRow

RATING_FIELDS = ("human", "ratings", "aspects", "system", "task", "source", "lang", "is_reference")
"""What a row may have beside the fields that every scored file has."""

_YES = (True, "true", "yes", "1")
_NO = (None, False, "", "false", "no", "0")
"""A data frame writes the number 1 or 0, which Python counts as true or false."""


def read(path: str, kind: str, fields: Mapping[str, str]) -> tuple[list[Rated], int]:
    """Return the rated rows of a jsonl, json, csv or tsv file, and how many rows rate a reference."""
    names = field_names({field: name for field, name in fields.items() if field in FIELDS})
    own = {field: fields.get(field, field) for field in RATING_FIELDS}
    rows = list(raw_rows(path, kind, names))
    kept = [(count, row) for count, row in enumerate(rows, 1) if not _is_reference(row, own, path)]
    _check_rated([row for _, row in kept], len(rows), own, path)
    lines: dict[str, int] = {}
    found = []
    for count, row in kept:
        rated = _rated(row, count, names, own, path)
        if rated.id in lines:
            raise InputError(
                f"the id {rated.id!r} is on line {lines[rated.id]} and again on line {row.line}",
                path=path,
                line=row.line,
                remedy="make ids unique, or give none: a row without an id takes its number",
            )
        lines[rated.id] = row.line
        found.append(rated)
    return found, len(rows) - len(kept)


def raw_rows(path: str, kind: str, names: FieldNames) -> Iterator[RawRow]:
    """Read the rows of a text file of this kind, as they stand there."""
    with open_input(path) as stream:
        parts = pieces(stream, path)
        if kind == "jsonl":
            yield from json_rows.jsonl_rows(parts, path)
        elif kind == "json":
            yield from json_rows.json_rows(parts, path)
        else:
            yield from delimited.rows(parts, path, names, delimited.DELIMITERS[kind])


def _is_reference(row: RawRow, own: Mapping[str, str], path: str) -> bool:
    value = row.values.get(own["is_reference"])
    told = value.strip().lower() if isinstance(value, str) else value
    if told in _YES:
        return True
    if told in _NO:
        return False
    raise InputError(
        f"{own['is_reference']} must be true or false",
        path=path,
        line=row.line,
        remedy="write true for a row whose candidate is the human reference itself; such rows are left out",
    )


def _check_rated(kept: Iterable[RawRow], total: int, own: Mapping[str, str], path: str) -> None:
    """Refuse a file without ratings as a whole, before a complaint about any of its rows."""
    kept = list(kept)
    if not total:
        raise InputError("the file has no rows", path=path, remedy="give at least one rated row")
    if not kept:
        raise InputError(
            f"all {total} rows rate a human reference ({own['is_reference']} is true)",
            path=path,
            remedy="give rows that rate the texts of systems",
        )
    if not any(
        row.values.get(own[name]) not in (None, "", []) for row in kept for name in ("human", "ratings")
    ):
        listed = ", ".join(map(repr, list(kept[0].values)[:20]))
        raise InputError(
            f"no row has a human rating: there is no value in {own['human']!r} or {own['ratings']!r}",
            path=path,
            remedy=f"a study needs ratings. If they have another name, say which: fields={{'human': NAME}};"
            f" the first row has {listed}",
        )


def _rated(row: RawRow, count: int, names: FieldNames, own: Mapping[str, str], path: str) -> Rated:
    example = to_example(row, count, names, path)
    place = Place(path, row.line, example.id)
    values = {field: row.values.get(name) for field, name in own.items()}
    ratings = number_list(values["ratings"], own["ratings"], place)
    human = number(values["human"], own["human"], place)
    if human is None and not ratings:
        place.fail(
            f"no human rating: neither {own['human']!r} nor {own['ratings']!r} has a number",
            "give the rating, or leave the row out",
        )
    return Rated(
        example,
        mean(ratings) if human is None else human,
        _label(values["system"], own["system"], place),
        ratings,
        named_numbers(values["aspects"], own["aspects"], place),
        _label(values["task"], own["task"], place),
        _label(values["source"], own["source"], place),
        _label(values["lang"], own["lang"], place),
    )


def _label(value: object, name: str, place: Place) -> str:
    """Return a name; a number serves as well as its text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or isinstance(value, str):
        return value or ""
    place.fail(f"{name} must be text", "write it as text, in quotes")
