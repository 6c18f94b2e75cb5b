"""Rows of text, each of them saved as it is written: nothing computed is lost when the process dies."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from io import FileIO
from typing import TYPE_CHECKING, BinaryIO, Generic, Protocol, TypeVar

from mars_score.files.output_path import failed, unwritable
from mars_score.files.rows import Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Identified(Protocol):
    """Any row that can be named in an error."""

    @property
    def id(self) -> str:
        """The row's name."""


RowT = TypeVar("RowT", bound=Identified)


class LineWriter(Generic[RowT]):
    """Writes rows to a stream; after a failure, a file still ends with a whole row."""

    def __init__(
        self, stream: FileIO | BinaryIO, place: str, render: Callable[[RowT], str], kept: Kept | None = None
    ) -> None:
        kept = kept or Kept()
        self.saved = kept.rows
        """How many rows are safely written, those of an earlier run included."""
        self.failed = False
        self._stream, self._place, self._render = stream, place, render
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
            raise failed(
                self._place,
                f"the row of id {row.id!r} cannot be written: {reason};"
                f" rows saved before it: {self.saved}, in {self._place}",
                "free some space or choose another place, and run again",
            ) from error
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
            raise failed("standard output", "it is closed", "name a file with -o FILE, or leave it open")
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
        import fcntl  # noqa: PLC0415  (not on every system)
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise failed(
            str(path), "another process is writing this file", "wait for it, or name another file"
        ) from error
    except OSError:
        return  # a file system without locks
