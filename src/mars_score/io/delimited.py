"""CSV and TSV: a header row, then one row an item; quoted cells may hold line breaks."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NoReturn

from mars_score.errors import InputError
from mars_score.io.fields import FieldNames, RawRow
from mars_score.io.source import lines

_NULLS = frozenset(["NaN", "nan", "inf", "-inf", "Infinity", "-Infinity"])
"""What data frames write for a missing number; an empty cell is an empty text."""
_LONGEST_CELL = 2**31 - 1
COLUMNS = 5_000
"""Cells that a row may have. No file of texts comes near; a line of delimiters alone is millions of cells."""


def rows(parts: Iterable[tuple[int, str]], path: str, names: FieldNames, delimiter: str) -> Iterator[RawRow]:
    """Yield the rows below the header."""
    table = records(parts, path, delimiter)
    start, header = next(table, (1, []))
    header = [name.strip() for name in header]
    if header:
        _check_header(header, names, path, start)
    for line, cells in table:
        if len(cells) != len(header):
            raise InputError(
                f"the row has {len(cells)} cells, but the header has {len(header)}",
                path=path,
                line=line,
                remedy="a cell that holds the delimiter, a quote or a line break must be quoted,"
                ' and its quotes doubled: "He said ""no"", twice"',
            )
        values: dict[str, object] = {
            name: None if cell in _NULLS else cell for name, cell in zip(header, cells, strict=True)
        }
        several = names.names.get("references")
        cell = values.get(several) if several is not None else None
        if several is not None and isinstance(cell, str) and cell.lstrip().startswith("["):
            values[several] = _list(cell, several, path, line)
        yield RawRow(line, values)


def records(parts: Iterable[tuple[int, str]], path: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row's first line and its cells, the header too; blank lines are skipped."""
    # The module's limit of 128 KiB a cell is too low for books; it is global, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    width = _Width(delimiter, path)
    text = (f"{width.checked(line)}\n" for _, line in lines(parts))
    # Strict: without it, a quote that is never closed swallows the rest of the file in silence.
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        width.begin(line)
        try:
            cells = next(reader, None)
        except csv.Error as error:
            _fail(error, path, line)
        if cells is None:
            return
        if cells:
            yield line, cells


class _Width:
    """Counts the cells of a row before they are parsed: the parser would first make all of them."""

    def __init__(self, delimiter: str, path: str) -> None:
        self.delimiter, self.path = delimiter, path
        self.begin(1)

    def begin(self, line: int) -> None:
        self.line, self.cells, self.quoted = line, 1, False

    def checked(self, text: str) -> str:
        """Return the next line of the row, or refuse the row."""
        at = 0
        while True:
            if self.quoted or text.startswith('"', at):
                at = self._behind(text, at if self.quoted else at + 1)
            # A quote opens a cell only where the cell begins; anywhere else it is a sign like others.
            opening = -1 if self.quoted else text.find(f'{self.delimiter}"', at)
            end = len(text) if opening < 0 else opening + 1
            self.cells += text.count(self.delimiter, at, end)
            if self.cells > COLUMNS:
                raise InputError(
                    f"the row has more than {COLUMNS:,} cells",
                    path=self.path,
                    line=self.line,
                    remedy="leave out columns that hold neither candidates, references nor contexts;"
                    " a text that holds the delimiter must be quoted",
                )
            if opening < 0:
                return text
            at = end

    def _behind(self, text: str, at: int) -> int:
        """Return the position behind the quote that closes a cell; the cell may go on beyond the line."""
        while (quote := text.find('"', at)) >= 0:
            if not text.startswith('"', quote + 1):
                self.quoted = False
                return quote + 1
            at = quote + 2
        self.quoted = True
        return len(text)


def _fail(error: csv.Error, path: str, line: int) -> NoReturn:
    """Say in plain words what the parser refused."""
    reason = str(error)
    if "end of data" in reason:
        problem, remedy = "a quote is opened in this row and never closed", 'close it, or write it twice: ""'
    elif "expected after" in reason:
        problem = "a quoted cell goes on after its closing quote"
        remedy = 'write a quote inside a quoted cell twice: "He said ""no"" again"'
    else:
        problem, remedy = f"cannot be parsed: {reason}", "save the file with line ends LF or CRLF"
    raise InputError(problem, path=path, line=line, remedy=remedy) from error


def _check_header(header: list[str], names: FieldNames, path: str, line: int) -> None:
    missing = names.missing(header)
    if missing is not None:
        read = ", ".join(header)
        problem = (
            f"the header has no column {names.describe(missing)};"
            f" the first row reads: {read[:120]}{'...' * (len(read) > 120)}"
        )
        raise InputError(problem, path=path, line=line, remedy=_header_remedy(header, names))
    wanted = {*names.names.values(), *names.numbered(header)}
    counts = Counter(header)
    twice = next((name for name in header if name in wanted and counts[name] > 1), None)
    if twice is not None:
        problem = f"the header has {counts[twice]} columns {twice!r}"
        remedy = "rename all but one; several references are columns reference_1, reference_2, ..."
        raise InputError(problem, path=path, line=line, remedy=remedy)


def _header_remedy(header: list[str], names: FieldNames) -> str:
    if len(header) == 1 and (other := next((mark for mark in ";\t,|" if mark in header[0]), None)):
        return f"the cells seem to be separated by {other!r}: a .csv file has commas, a .tsv file tabs"
    return (
        f"{names.remedy(header)}. If the file has no header, put one above the first row,"
        " such as id,context,candidate,reference"
    )


def _list(cell: str, name: str, path: str, line: int) -> object:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{name} starts with '[' but is not a JSON list: {str(error)[:80]}",
            path=path,
            line=line,
            remedy='write it as JSON, ["first", "second"]; if it is one text that starts with a bracket,'
            " name the column reference",
        ) from error
