"""Parquet results. Such a file is valid only whole: until the end, rows are kept beside it as JSON lines."""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from mars_score.files import pyarrow_extra
from mars_score.files.line_writer import LineWriter, open_lines
from mars_score.files.output_path import failed
from mars_score.files.render import json_line
from mars_score.files.replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mars_score.files.rows import ResultRow

_BATCH = 10_000


@contextmanager
def open_parquet(path: Path) -> Iterator[LineWriter[ResultRow]]:
    """Open a writer whose rows become a Parquet file at the end of the block, after an error in it too."""
    kept = path.with_name(f"{path.name}.partial.jsonl")
    writer = None
    try:
        with open_lines(kept, json_line) as writer:
            yield writer
    finally:
        # A writer that failed has said that its rows are in the file of JSON lines, so there they stay.
        if writer is not None and not writer.failed:
            _convert(kept, path, writer.saved)
            kept.unlink()


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
