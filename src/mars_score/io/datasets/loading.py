"""Loading a data set: its format is detected by suffix and first characters; our own has one rated row an item."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io.datasets import huse, mocha, newsroom
from mars_score.io.datasets.base import Dataset, Rated, csv_header, mean, named_numbers, number, number_list
from mars_score.io.fields import FIELDS, FieldNames, RawRow, RowLocation, field_names, to_example
from mars_score.io.output import INPUTS, format_of
from mars_score.io.readers import raw_rows, repeated_id
from mars_score.io.source import STDIN, check_readable, open_input

FORMATS = {
    "rows": "the project's own: JSON lines, a JSON list, csv or tsv, one rated row an item",
    "newsroom": "Newsroom's human evaluation, csv",
    "mocha": "MOCHA, JSON",
    "huse": "HUSE's ratings (ROC stories), csv",
    "roc": "the same as huse, by the paper's name",
}
RATING_FIELDS = ("human", "ratings", "aspects", "system", "task", "source", "lang", "is_reference")
"""What a row may have beside the fields that every scored file has."""

_YES = (True, "true", "yes", "1")
_NO = (None, False, "", "false", "no", "0")
"""A data frame writes the number 1 or 0, which Python counts as true or false."""
_STRING = rb'"(?:[^"\\]|\\.)*"'
_NESTED = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{\s*" + _STRING + rb"\s*:\s*\{\s*(?:\}|" + _STRING + rb"\s*:\s*\{)"
)
"""An object of objects of objects. A row starts with a field, and at most its aspects are an object."""
_HEAD = 4096


def load_dataset(
    path: str | Path,
    format: str | None = None,
    *,
    fields: Mapping[str, str] | None = None,
    references: str | Path | None = None,
) -> Dataset:
    """Load a file of rated rows; its name without the suffix is the data set's name.

    ``format`` is one of ``FORMATS``, and is found from the file where it is not given. ``fields`` maps a field
    to the name that a file of rows has for it, as ``{"human": "score"}``. ``references`` is the Newsroom
    release, for the reference summaries that Newsroom's human evaluation lacks.
    """
    if str(path) == STDIN:
        raise InputError("a data set cannot be read from standard input", remedy="give the path of a file")
    check_readable(path)
    kind = _kind(str(path), format)
    _check_options(kind, fields or {}, references)
    left_out = 0
    if kind == "rows":
        rated, left_out = read_rows(str(path), row_kind(str(path)), fields or {})
    elif kind == "newsroom":
        rated = newsroom.read(str(path), references)
    elif kind == "mocha":
        rated = mocha.read(str(path))
    else:
        rated, left_out = huse.read(str(path))
    return Dataset(Path(path).stem, tuple(rated), left_out)


def _kind(path: str, format: str | None) -> str:
    if format is None:
        return detect(path)
    if format not in FORMATS:
        raise ConfigError(
            f"unknown format {format!r}; there are {', '.join(FORMATS)}.{did_you_mean(format, FORMATS)}"
        )
    return "huse" if format == "roc" else format


def _check_options(kind: str, fields: Mapping[str, str], references: str | Path | None) -> None:
    """Refuse an option that would do nothing."""
    if references is not None and kind != "newsroom":
        raise ConfigError(f"references are for the format newsroom, but this file is read as {kind}")
    if fields and kind != "rows":
        raise ConfigError(f"fields can be mapped in the format rows, but this file is read as {kind}")
    names = (*FIELDS, *RATING_FIELDS)
    for field in fields:
        if field not in names:
            raise ConfigError(
                f"unknown field {field!r}; there are {', '.join(names)}.{did_you_mean(field, names)}"
            )


def row_kind(path: str) -> str:
    """Return the format of a file of rows: jsonl, json, csv or tsv."""
    kind = format_of(path, None, INPUTS)
    if kind is None or kind == "parquet":
        raise InputError(
            "cannot tell the format from the name"
            if kind is None
            else "a data set cannot be read from Parquet",
            path=path,
            remedy="save the rows as .jsonl, .json, .csv or .tsv",
        )
    return kind


def detect(path: str) -> str:
    """Return the name of a file's format: rows, newsroom, mocha or huse."""
    kind = format_of(path, None, INPUTS)
    if kind == "json":
        with open_input(path) as stream:
            return "mocha" if _NESTED.match(stream.read(_HEAD)) else "rows"
    if kind == "csv":
        names = set(csv_header(path))
        if {"ArticleID", "SystemSummary"} <= names:
            return "newsroom"
        if {"Input.OUT0", "Input.TYPE0"} <= names:
            return "huse"
    return "rows"


# The project's own format: one row an item, with its rating in ``human``.


def read_rows(path: str, kind: str, fields: Mapping[str, str]) -> tuple[list[Rated], int]:
    """Return the rated rows of a jsonl, json, csv or tsv file, and how many rows rate a reference."""
    names = field_names({field: name for field, name in fields.items() if field in FIELDS})
    columns = {field: fields.get(field, field) for field in RATING_FIELDS}
    rows = list(raw_rows(path, kind, names))
    candidates = [(count, row) for count, row in enumerate(rows, 1) if not _is_reference(row, columns, path)]
    _check_rated([row for _, row in candidates], len(rows), columns, path)
    lines: dict[str, int] = {}
    rated = []
    for count, row in candidates:
        item = _rated(row, count, names, columns, path)
        if item.id in lines:
            raise repeated_id(item.id, lines[item.id], row.line, path)
        lines[item.id] = row.line
        rated.append(item)
    return rated, len(rows) - len(rated)


def _is_reference(row: RawRow, columns: Mapping[str, str], path: str) -> bool:
    value = row.values.get(columns["is_reference"])
    answer = value.strip().lower() if isinstance(value, str) else value
    if answer in _YES or answer in _NO:
        return answer in _YES
    problem = f"{columns['is_reference']} must be true or false"
    remedy = "write true for a row whose candidate is the human reference itself; such rows are left out"
    raise InputError(problem, path=path, line=row.line, remedy=remedy)


def _check_rated(rows: Sequence[RawRow], total: int, columns: Mapping[str, str], path: str) -> None:
    """Refuse a file without ratings as a whole, before a complaint about any of its rows."""
    if not total:
        raise InputError("the file has no rows", path=path, remedy="give at least one rated row")
    if not rows:
        problem = f"all {total} rows rate a human reference ({columns['is_reference']} is true)"
        raise InputError(problem, path=path, remedy="give rows that rate the texts of systems")
    if not any(
        row.values.get(columns[name]) not in (None, "", []) for row in rows for name in ("human", "ratings")
    ):
        listed = ", ".join(map(repr, list(rows[0].values)[:20]))
        raise InputError(
            f"no row has a human rating: there is no value in {columns['human']!r} or {columns['ratings']!r}",
            path=path,
            remedy=f"a study needs ratings. If they have another name, say which: fields={{'human': NAME}};"
            f" the first row has {listed}",
        )


def _rated(row: RawRow, count: int, names: FieldNames, columns: Mapping[str, str], path: str) -> Rated:
    example = to_example(row, count, names, path)
    location = RowLocation(path, row.line, example.id)
    values = {field: row.values.get(name) for field, name in columns.items()}
    ratings = number_list(values["ratings"], columns["ratings"], location)
    human = number(values["human"], columns["human"], location)
    if human is None and not ratings:
        location.fail(
            f"no human rating: neither {columns['human']!r} nor {columns['ratings']!r} has a number",
            "give the rating, or leave the row out",
        )
    return Rated(
        example,
        mean(ratings) if human is None else human,
        _label(values["system"], columns["system"], location),
        ratings,
        named_numbers(values["aspects"], columns["aspects"], location),
        _label(values["task"], columns["task"], location),
        _label(values["source"], columns["source"], location),
        _label(values["lang"], columns["lang"], location),
    )


def _label(value: object, name: str, location: RowLocation) -> str:
    """Return a name; a number serves as well as its text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or isinstance(value, str):
        return value or ""
    location.fail(f"{name} must be text", "write it as text, in quotes")
