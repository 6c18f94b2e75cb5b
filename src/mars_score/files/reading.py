"""Reading rows to score: the reader is chosen by suffix, and rows come one at a time."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, BinaryIO

from mars_score.errors import InputError
from mars_score.files import delimited, json_list, jsonl, parquet
from mars_score.files.field_names import FieldNames, field_names
from mars_score.files.fields import to_example
from mars_score.files.formats import INPUTS, format_of
from mars_score.files.source import STDIN, check_readable, is_regular, open_input, shown
from mars_score.files.text_lines import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from mars_score.files.rows import RawRow
    from mars_score.types import Example


def read_examples(
    path: str | Path, *, fields: Mapping[str, str] | None = None, format: str | None = None
) -> Iterator[Example]:
    """Yield the rows of a file, or of standard input (``-``, JSON lines).

    ``fields`` maps a field to the name that the file has for it, as ``{"candidate": "prediction"}``.
    ``format`` (jsonl, json, csv, tsv, parquet) overrides the suffix. A file that cannot be read at all
    is refused in this call; a bad row raises ``InputError`` when it is reached.
    """
    names = field_names(fields)
    kind = _kind(path, format)
    return _examples(_rows(path, kind, names), names, shown(path))


def count_rows(path: str | Path, *, format: str | None = None) -> int | None:
    """Return how many rows a file has; ``None`` where that cannot be known without parsing all of it."""
    kind = _kind(path, format)
    if not is_regular(path) or kind == "json":
        return None
    with open_input(path) as stream:
        if kind == "jsonl":
            return sum(1 for line in stream if not line.isspace())
        if kind == "parquet":
            return parquet.count(stream, shown(path))
        try:
            table = delimited.records(pieces(stream, shown(path)), shown(path), delimited.DELIMITERS[kind])
            return max(0, sum(1 for _ in table) - 1)
        except InputError:
            # Reading will say it, with the rows before the bad one already scored.
            return None


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


def _examples(rows: Iterable[RawRow], names: FieldNames, path: str) -> Iterator[Example]:
    lines: dict[bytes, int] = {}
    for number, row in enumerate(rows, 1):
        example = to_example(row, number, names, path)
        # Hashes, so that long ids cost no more memory than short ones.
        key = hashlib.blake2b(example.id.encode(), digest_size=12).digest()
        if key in lines:
            raise InputError(
                f"the id {example.id!r} is on line {lines[key]} and again on line {row.line}",
                path=path,
                line=row.line,
                remedy="make ids unique, or give none: a row without an id takes its number",
            )
        lines[key] = row.line
        yield example
    if not lines:
        raise InputError("the file has no rows", path=path, remedy="give at least one row to score")
