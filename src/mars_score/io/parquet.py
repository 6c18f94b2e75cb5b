"""Parquet input, a batch at a time. It needs pyarrow, which is an extra."""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from mars_score.errors import InputError
from mars_score.io.fields import RawRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mars_score.io.fields import FieldNames


# Parquet needs pyarrow, which is an extra: it is imported only where it is used.

NEEDED = "Parquet needs the package pyarrow, which is not installed"
INSTALL = "pip install 'mars-score[parquet]', or use .jsonl"


def load_pyarrow() -> tuple[Any, Any]:
    """Return the modules ``pyarrow`` and ``pyarrow.parquet``; ``ImportError`` where there is none."""
    return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")


# Parquet input, a batch at a time; only the columns that are needed are read.

_READ_BATCH = 256


def parquet_rows(stream: BinaryIO, path: str, names: FieldNames) -> Iterator[RawRow]:
    """Yield the rows of a table."""
    number = 0
    with _table(stream, path) as table:
        columns = _columns(list(table.schema_arrow.names), names, path)
        for batch in table.iter_batches(batch_size=_READ_BATCH, columns=columns):
            for values in batch.to_pylist():
                number += 1
                yield RawRow(number, values)


def check_installed(path: str) -> None:
    """Refuse Parquet early where pyarrow is not installed."""
    try:
        load_pyarrow()
    except ImportError as error:
        raise InputError(NEEDED, path=path, remedy=INSTALL) from error


@contextmanager
def _table(stream: BinaryIO, path: str) -> Iterator[Any]:
    """Open a table; whatever pyarrow finds wrong inside the block is an ``InputError``."""
    if not stream.seekable():
        raise InputError(
            "Parquet cannot be read from a pipe", path=path, remedy="give a file, or pipe JSON lines"
        )
    pyarrow, parquet = load_pyarrow()
    try:
        with parquet.ParquetFile(stream) as table:
            yield table
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"not a readable Parquet file: {reason}", path=path, remedy="write the file again, or use .jsonl"
        ) from error


def _columns(present: list[str], names: FieldNames, path: str) -> list[str]:
    """Return the columns to read, once each."""
    missing = names.missing(present)
    if missing is not None:
        raise InputError(f"no column {names.describe(missing)}", path=path, remedy=names.remedy(present))
    wanted = {*names.names.values(), *names.numbered(present)}
    columns = [name for name in present if name in wanted]
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"there are several columns {twice!r}", path=path, remedy="rename all but one")
    return columns
