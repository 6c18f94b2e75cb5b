"""Writing results, each row saved as it is written: JSON lines, tables, Parquet; and reading what a run has left."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

from mars_score.errors import OutputError
from mars_score.io.fields import Kept
from mars_score.io.output import (
    PARTIAL,
    failed,
    load_pyarrow,
    output_file,
    output_format,
    replacing,
    stdout_closed,
    unwritable,
)
from mars_score.io.source import DELIMITERS
from mars_score.types import ResultRow

FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""What a text begins with that a spreadsheet may take for a formula, and run; the last four are full-width."""
ESCAPE = "'"
RESTART = "begin anew with --restart, which overwrites it, or name another file"
_MAKE_ROOM = "free some space or choose another place, and run again"
_WRITE_BATCH = 10_000
Ended = tuple[ResultRow, int]
"""A row, and where it ends in its file."""


class Writer(Protocol):
    """Where rows of results go."""

    saved: int
    """How many rows are safely written."""

    def write(self, row: ResultRow) -> None:
        """Save one row; ``OutputError`` if that fails says how many are saved, and where."""


def open_writer(
    path: str | Path | None, format: str | None = None, *, kept: Kept | None = None, metrics: Sequence[str] = (),
    escaped: bool = True,
) -> AbstractContextManager[Writer]:  # fmt: skip
    """Open an output by its suffix, or by a format (jsonl, csv, tsv, parquet).

    ``-`` or no path is standard output, with JSON lines unless a format is named. Text rows are saved
    one by one. Parquet appears at the end of the block; if the process is killed before, its rows are
    in ``<path>.partial.jsonl``. Rows of these metrics that are ``kept`` of an earlier run stay; all else that
    the file has goes. In tables of text, ids that a spreadsheet would take for formulas are ``escaped``.
    """
    kind, file = output_format(path, format), output_file(path)
    if kind == "parquet" and file is not None:
        return open_parquet(file, kept)
    if kind == "jsonl":
        return open_lines(file, json_line, kept)
    columns = metrics if kept and kept.rows else None
    return open_lines(file, DelimitedTable(DELIMITERS[kind], columns, escaped=escaped), kept)


# A row of results as text.


def escape(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula: with an apostrophe before it, if need be.

    A text that already looks so gets one more; `unescape` gives every text back as it was.
    """
    return ESCAPE + text if text[:1] in FORMULA or unescape(text) != text else text


def unescape(cell: str) -> str:
    """Return the text that `escape` made a cell of."""
    return cell[1:] if cell[:1] == ESCAPE and (cell[1:2] == ESCAPE or cell[1:2] in FORMULA) else cell


def json_line(row: ResultRow) -> str:
    """Return a row as one line of JSON; numbers read back as the same numbers."""
    content = {"id": row.id, "scores": row.numbers(), "flags": list(row.flags)}
    return json.dumps(content, ensure_ascii=False) + "\n"


class DelimitedTable:
    """Rows as delimited text: id, a column for each metric, flags joined with ``;``."""

    def __init__(self, delimiter: str, metrics: Sequence[str] | None = None, *, escaped: bool = True) -> None:
        """Begin with a header; where the metrics are given, it has been written before.

        Ids are escaped for spreadsheets unless told otherwise. Scores are numbers and stay as they are.
        """
        self._delimiter, self._escape = delimiter, escape if escaped else str
        self._metrics = None if metrics is None else list(metrics)

    def __call__(self, row: ResultRow) -> str:
        """Return a row as one record; the first one comes with the header, whose metrics it decides."""
        header = ""
        if self._metrics is None:
            self._metrics = list(row.scores)
            header = self._record(["id", *self._metrics, "flags"])
        if set(row.scores) != set(self._metrics):
            has, needs = ", ".join(row.scores), ", ".join(self._metrics)
            raise OutputError(f"the row of id {row.id!r} has the metrics {has}; the header has {needs}")
        numbers = row.numbers()
        cells = ["" if numbers[name] is None else repr(numbers[name]) for name in self._metrics]
        return header + self._record([self._escape(row.id), *cells, ";".join(row.flags)])

    def _record(self, cells: list[str]) -> str:
        text = io.StringIO()
        # The module quotes a cell for the characters of its line end: with CRLF, a lone CR is quoted too.
        csv.writer(text, delimiter=self._delimiter, lineterminator="\r\n").writerow(cells)
        return text.getvalue().removesuffix("\r\n") + "\n"


class Identified(Protocol):
    """Any row that can be named in an error."""

    @property
    def id(self) -> str:
        """The row's name."""


RowT = TypeVar("RowT", bound=Identified)


class LineWriter(Generic[RowT]):
    """Writes rows to a stream; after a failure, a file still ends with a whole row."""

    def __init__(
        self, stream: FileIO | BinaryIO, name: str, render: Callable[[RowT], str], kept: Kept | None = None
    ) -> None:
        kept = kept or Kept()
        self.saved = kept.rows
        """How many rows are safely written, those of an earlier run included."""
        self.failed = False
        self._stream, self._name, self._render = stream, name, render
        self._size = kept.size

    def write(self, row: RowT) -> None:
        """Save one row."""
        text = self._render(row)
        try:
            data = text.encode()
            rest = memoryview(data)
            while rest:
                # An unbuffered file may take only a part, as when a disk gets full.
                rest = rest[self._stream.write(rest) :]
            self._stream.flush()
        except (OSError, UnicodeEncodeError) as error:
            self.failed = True
            self._cut()
            reason = getattr(error, "strerror", None) or str(error)
            problem = (
                f"the row of id {row.id!r} cannot be written: {reason}; rows saved before it: {self.saved}"
            )
            raise failed(self._name, f"{problem}, in {self._name}", _MAKE_ROOM) from error
        except BaseException:
            self._cut()  # an interrupt: what is written of this row is not whole
            raise
        self.saved += 1
        self._size += len(data)

    def _cut(self) -> None:
        """Drop the part of a row that was written before the failure."""
        # Standard output may be a file that others have written to before: its size is not ours to set.
        if isinstance(self._stream, FileIO):
            with suppress(OSError):
                self._stream.truncate(self._size)


@contextmanager
def open_lines(
    path: Path | None, render: Callable[[RowT], str], kept: Kept | None = None
) -> Iterator[LineWriter[RowT]]:
    """Open a writer of text rows, which follow those that are kept; no path is standard output."""
    if path is None:
        if sys.stdout is None:
            raise stdout_closed()
        sys.stdout.flush()
        yield LineWriter(sys.stdout.buffer, "standard output", render)
        return
    try:
        # To append: what is there must survive until it is known that nobody else is writing.
        stream = FileIO(path, "a")
    except OSError as error:
        raise unwritable(path, error) from error
    with stream:
        if path.is_file():
            _claim(stream, path)
            stream.truncate(kept.size if kept else 0)
            stream.seek(0, os.SEEK_END)
        yield LineWriter(stream, str(path), render, kept)


def _claim(stream: FileIO, path: Path) -> None:
    """Refuse a file that another process is writing; the system gives it free when its writer ends."""
    try:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        remedy = "wait for it, or name another file"
        raise failed(str(path), "another process is writing this file", remedy) from error
    except (ImportError, OSError):
        return  # a system or a file system without locks


# Parquet results. Such a file is valid only whole: until the end, rows are kept beside it as JSON lines.


def partial(path: Path) -> Path:
    """Where the rows of a Parquet file are kept until its end."""
    return path.with_name(path.name + PARTIAL)


@contextmanager
def open_parquet(path: Path, kept: Kept | None = None) -> Iterator[LineWriter[ResultRow]]:
    """Open a writer whose rows become a Parquet file at the end of the block, after an error in it too."""
    lines = partial(path)
    if kept is not None and kept.rows and not lines.exists():
        kept = _unfold(path, lines)
    writer = None
    try:
        with open_lines(lines, json_line, kept) as writer:
            yield writer
    finally:
        # A writer that failed has said that its rows are in the file of JSON lines, so there they stay.
        if writer is not None and not writer.failed:
            _convert(lines, path, writer.saved)
            lines.unlink()


def _unfold(path: Path, lines: Path) -> Kept:
    """Write the rows of a Parquet file that was ended early as JSON lines again, so that more can follow."""
    _, parquet = load_pyarrow()
    rows = 0
    try:
        with (
            parquet.ParquetFile(path) as table,
            replacing(lines) as temporary,
            open(temporary, "w", encoding="utf-8", newline="") as stream,
        ):
            for row in _flat_rows(table):
                stream.write(json_line(ResultRow(row["id"], row["scores"], tuple(row["flags"]))))
                rows += 1
    except OSError as error:
        raise unwritable(lines, error) from error
    return Kept(rows, lines.stat().st_size)


def _flat_rows(table: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file as the objects that JSON lines have."""
    for batch in table.iter_batches():
        for row in batch.to_pylist():
            yield {"id": row.pop("id"), "flags": row.pop("flags"), "scores": row}


def _convert(kept: Path, path: Path, saved: int) -> None:
    pyarrow, parquet = load_pyarrow()
    metrics = list(dict.fromkeys(name for row in _rows(kept) for name in row["scores"]))
    columns = [("id", pyarrow.string()), *((name, pyarrow.float64()) for name in metrics)]
    schema = pyarrow.schema([*columns, ("flags", pyarrow.list_(pyarrow.string()))])
    rows = _rows(kept)
    try:
        with (
            replacing(path) as temporary,
            open(temporary, "wb") as stream,
            parquet.ParquetWriter(stream, schema) as table,
        ):
            while batch := list(islice(rows, _WRITE_BATCH)):
                flat = [{**row["scores"], "id": row["id"], "flags": row["flags"]} for row in batch]
                table.write_table(pyarrow.Table.from_pylist(flat, schema=schema))
    except (OSError, pyarrow.ArrowException) as error:
        problem = f"cannot be written: {error}; rows saved: all {saved}, in {kept}"
        raise failed(str(path), problem, _MAKE_ROOM) from error


def _rows(kept: Path) -> Iterator[dict[str, Any]]:
    with open(kept, encoding="utf-8") as lines:
        yield from map(json.loads, lines)


# What an earlier run left in an output: its whole rows, one at a time, however many there are.


def left_over(path: str | Path | None, format: str | None = None) -> Path | None:
    """Return the file that has the rows of an earlier run; None where there is none, or nothing can be kept."""
    file = output_file(path)
    if file is None or (file.exists() and not file.is_file()):
        return None
    if output_format(path, format) == "parquet" and partial(file).exists():
        file = partial(file)
    return file if file.exists() and file.stat().st_size else None


def result_rows(left: Path, kind: str, metrics: Sequence[str], *, escaped: bool = True) -> Iterator[Ended]:
    """Yield the whole rows of results that are left; a last row that was torn off is passed over."""
    if kind == "parquet" and not left.name.endswith(PARTIAL):
        return _parquet_rows(left, metrics)
    if kind in DELIMITERS:
        return _table_rows(left, kind, metrics, escaped=escaped)
    return ((_result(row, metrics, left), end) for row, end in json_objects(left))


def json_objects(left: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the object of each whole line, and where the line ends."""
    for number, (line, end) in enumerate(_records(left), 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise foreign(left, f"line {number} is no JSON: {str(error)[:80]}") from error
        if not isinstance(row, dict):
            raise foreign(left, f"line {number} is no object")
        yield row, end


def foreign(left: Path, problem: str) -> OutputError:
    """Return the error for a file that no earlier run of the same command can have left."""
    return failed(str(left), f"cannot be continued: {problem}", RESTART)


def _records(left: Path, *, quotes: bool = False) -> Iterator[tuple[bytes, int]]:
    """Yield whole records, each of one or more lines; what is left at the end of the file was torn off.

    With `quotes`, a record ends with a line unless a cell is still open: quotes inside a cell are doubled, so
    an odd number of them leaves one open.
    """
    held: list[bytes] = []
    end, is_open = 0, False
    try:
        with open(left, "rb") as stream:
            for line in stream:
                held.append(line)
                is_open ^= quotes and line.count(b'"') % 2 == 1
                if line.endswith(b"\n") and not is_open:
                    record = b"".join(held)
                    end += len(record)
                    yield record, end
                    held = []
    except OSError as error:
        raise unwritable(left, error) from error


def _table_rows(left: Path, kind: str, metrics: Sequence[str], *, escaped: bool) -> Iterator[Ended]:
    wanted = ["id", *metrics, "flags"]
    for number, (text, end) in enumerate(_records(left, quotes=True)):
        try:
            decoded = io.StringIO(text.decode(), newline="")
            (cells,) = csv.reader(decoded, delimiter=DELIMITERS[kind], strict=True)
            if not number:
                if cells != wanted:
                    raise foreign(left, f"its columns are {', '.join(cells)}, not {', '.join(wanted)}")
                continue
            name, *numbers, flags = cells
            values = [float(cell) if cell else None for cell in numbers]
            scores = dict(zip(metrics, values, strict=True))
        except (ValueError, csv.Error) as error:
            raise foreign(left, f"row {number} is no row of results") from error
        name = unescape(name) if escaped else name
        yield ResultRow(name, scores, tuple(flags.split(";")) if flags else ()), end


def _parquet_rows(left: Path, metrics: Sequence[str]) -> Iterator[Ended]:
    pyarrow, parquet = load_pyarrow()
    try:
        with parquet.ParquetFile(left) as table:
            for row in _flat_rows(table):
                yield _result(row, metrics, left), 0
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise foreign(left, f"it is no table of results: {str(error)[:80]}") from error


def _result(row: dict[str, Any], metrics: Sequence[str], left: Path) -> ResultRow:
    name, scores, flags = row.get("id"), row.get("scores"), row.get("flags")
    if not isinstance(name, str) or not isinstance(scores, dict) or not isinstance(flags, list):
        raise foreign(left, f"it has a row that is no row of results: {str(row)[:80]}")
    if list(scores) != list(metrics):
        raise foreign(left, f"it has scores of {', '.join(scores)}, not of {', '.join(metrics)}")
    return ResultRow(name, scores, tuple(flags))
