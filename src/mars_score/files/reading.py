"""Reading rows to score: the reader is chosen by suffix, and rows come one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from mars_score.errors import InputError
from mars_score.files import delimited, json_list, jsonl, parquet
from mars_score.files.field_names import FieldNames, field_names
from mars_score.files.fields import to_example
from mars_score.files.formats import INPUTS, format_of
from mars_score.files.source import STDIN, check_readable, is_regular, open_input, shown
from mars_score.files.text_lines import pieces
from mars_score.files.unique_ids import unique, unique_at_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from mars_score.files.rows import RawRow
    from mars_score.files.unique_ids import Numbered
    from mars_score.types import Example


def read_examples(
    path: str | Path, *, fields: Mapping[str, str] | None = None, format: str | None = None, checked: bool = False
) -> Iterator[Example]:  # fmt: skip
    """Yield the rows of a file, or of standard input (``-``, JSON lines).

    ``fields`` maps a field to the name that the file has for it, as ``{"candidate": "prediction"}``.
    ``format`` (jsonl, json, csv, tsv, parquet) overrides the suffix. A file that cannot be read at all
    is refused in this call; a bad row raises ``InputError`` when it is reached, and an id that a file has twice
    when all rows have been read. With ``checked``, equal ids are not looked for: somebody has done so before.
    """
    names = field_names(fields)
    kind, place = _kind(path, format), shown(path)

    def numbered() -> Iterator[Numbered]:
        return _examples(_rows(path, kind, names), names, place)

    if checked:
        return (example for _, example in numbered())
    return unique(numbered(), numbered, place) if is_regular(path) else unique_at_once(numbered(), place)


def _kind(path: str | Path, format: str | None) -> str:
    """Return an input's format, and refuse an input that can be seen to be unreadable."""
    kind = "jsonl" if str(path) == STDIN and format is None else format_of(path, format, INPUTS)
    check_readable(path)
    if kind is None:
        raise InputError(
            "cannot tell the format from the name",
            path=path,
            remedy=f"use one of {', '.join(INPUTS)}, or name the format; plain text, one item a line,"
            " is given as separate files of candidates and references",
        )
    if kind == "parquet":
        parquet.check_installed(shown(path))
    return kind


def _rows(path: str | Path, kind: str, names: FieldNames) -> Iterator[RawRow]:
    with open_input(path) as stream:
        yield from _parsed(stream, shown(path), kind, names)


def _parsed(stream: BinaryIO, path: str, kind: str, names: FieldNames) -> Iterator[RawRow]:
    if kind == "parquet":
        return parquet.rows(stream, path, names)
    parts = pieces(stream, path)
    if kind == "jsonl":
        return jsonl.rows(parts, path)
    if kind == "json":
        return json_list.rows(parts, path)
    return delimited.rows(parts, path, names, delimited.DELIMITERS[kind])


def _examples(rows: Iterable[RawRow], names: FieldNames, path: str) -> Iterator[Numbered]:
    number = 0
    for number, row in enumerate(rows, 1):
        yield row.line, to_example(row, number, names, path)
    if not number:
        raise InputError("the file has no rows", path=path, remedy="give at least one row to score")
