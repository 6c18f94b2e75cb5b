"""What an earlier run left in an output: its whole rows, one at a time, however many there are."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from mars_score.io.delimited import DELIMITERS
from mars_score.io.fields import ResultRow
from mars_score.io.output import PARTIAL, failed, output_file, output_format, unwritable
from mars_score.io.parquet import load_pyarrow
from mars_score.io.writers import partial, unescape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mars_score.errors import OutputError

RESTART = "begin anew with --restart, which overwrites it, or name another file"
Ended = tuple[ResultRow, int]
"""A row, and where it ends in its file."""


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
            scores = {
                metric: float(cell) if cell else None for metric, cell in zip(metrics, numbers, strict=True)
            }
        except (ValueError, csv.Error) as error:
            raise foreign(left, f"row {number} is no row of results") from error
        name = unescape(name) if escaped else name
        yield ResultRow(name, scores, tuple(flags.split(";")) if flags else ()), end


def _parquet_rows(left: Path, metrics: Sequence[str]) -> Iterator[Ended]:
    pyarrow, parquet = load_pyarrow()
    try:
        with parquet.ParquetFile(left) as table:
            for batch in table.iter_batches():
                for row in batch.to_pylist():
                    flat = {"id": row.pop("id"), "flags": row.pop("flags"), "scores": row}
                    yield _result(flat, metrics, left), 0
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise foreign(left, f"it is no table of results: {str(error)[:80]}") from error


def _result(row: dict[str, Any], metrics: Sequence[str], left: Path) -> ResultRow:
    name, scores, flags = row.get("id"), row.get("scores"), row.get("flags")
    if not isinstance(name, str) or not isinstance(scores, dict) or not isinstance(flags, list):
        raise foreign(left, f"it has a row that is no row of results: {str(row)[:80]}")
    if list(scores) != list(metrics):
        raise foreign(left, f"it has scores of {', '.join(scores)}, not of {', '.join(metrics)}")
    return ResultRow(name, scores, tuple(flags))
