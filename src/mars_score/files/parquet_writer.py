"""Parquet results. Such a file is valid only whole: until the end, rows are kept beside it as JSON lines."""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from mars_score.files import pyarrow_extra
from mars_score.files.line_writer import LineWriter, open_lines
from mars_score.files.output_path import PARTIAL, failed, unwritable
from mars_score.files.render import json_line
from mars_score.files.replacing import replacing
from mars_score.files.rows import Kept, ResultRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BATCH = 10_000


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
    _, parquet = pyarrow_extra.load()
    rows = 0
    try:
        with (
            parquet.ParquetFile(path) as table,
            replacing(lines) as temporary,
            open(temporary, "w", encoding="utf-8", newline="") as stream,
        ):
            for batch in table.iter_batches():
                for row in batch.to_pylist():
                    stream.write(
                        json_line(ResultRow(row.pop("id"), flags=tuple(row.pop("flags")), scores=row))
                    )
                    rows += 1
    except OSError as error:
        raise unwritable(lines, error) from error
    return Kept(rows, lines.stat().st_size)


def _convert(kept: Path, path: Path, saved: int) -> None:
    pyarrow, parquet = pyarrow_extra.load()
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
            while batch := list(islice(rows, _BATCH)):
                flat = [{**row["scores"], "id": row["id"], "flags": row["flags"]} for row in batch]
                table.write_table(pyarrow.Table.from_pylist(flat, schema=schema))
    except (OSError, pyarrow.ArrowException) as error:
        raise failed(
            str(path),
            f"cannot be written: {error}; rows saved: all {saved}, in {kept}",
            "free some space or choose another place, and run again",
        ) from error


def _rows(kept: Path) -> Iterator[dict[str, Any]]:
    with open(kept, encoding="utf-8") as lines:
        yield from map(json.loads, lines)
