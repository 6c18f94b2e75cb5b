"""Rows of a csv file whose columns are known; every complaint names the file and the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.files import delimited
from mars_score.files.render import unescape
from mars_score.files.source import check_readable, open_input
from mars_score.files.text_lines import pieces

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def read_rows(path: Path, columns: Sequence[str], remedy: str) -> dict[str, tuple[int, dict[str, str]]]:
    """Return the rows with their lines, by the first of the columns, in which no text may come twice.

    Other columns are left out. The remedy is for a file that is something else.
    """
    check_readable(path)
    found: dict[str, tuple[int, dict[str, str]]] = {}
    with open_input(path) as stream:
        table = delimited.records(pieces(stream, str(path)), str(path), delimited.DELIMITERS["csv"])
        start, header = next(table, (1, []))
        names = [name.strip().lower() for name in header]
        if missing := [name for name in columns if name not in names]:
            raise InputError(f"there is no column {missing[0]!r}", path=path, line=start, remedy=remedy)
        for line, cells in table:
            if len(cells) != len(names):
                raise InputError(
                    f"the row has {len(cells)} cells, but the header has {len(names)}",
                    path=path,
                    line=line,
                    remedy="quote a cell that holds a comma, a quote or a line break",
                )
            values = dict(zip(names, cells, strict=True))
            row = {name: unescape(values[name]) for name in columns}
            key = row[columns[0]] = row[columns[0]].strip()
            if not key:
                raise InputError(f"the {columns[0]} is empty", path=path, line=line, remedy=remedy)
            if key in found:
                raise InputError(
                    f"the {columns[0]} {key!r} is on line {found[key][0]} and again on line {line}",
                    path=path,
                    line=line,
                    remedy=remedy,
                )
            found[key] = line, row
    if not found:
        raise InputError("there are no rows below the header", path=path, remedy=remedy)
    return found
