"""Writing results: the writer is chosen by suffix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mars_score.files.delimited import DELIMITERS
from mars_score.files.line_writer import open_lines
from mars_score.files.output_path import output_file, output_format
from mars_score.files.parquet_writer import open_parquet
from mars_score.files.render import Table, json_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from mars_score.files.rows import Kept, ResultRow


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
    known = metrics if kept and kept.rows else None
    return open_lines(file, Table(DELIMITERS[kind], known, escaped=escaped), kept)
