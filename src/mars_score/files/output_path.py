"""Where results go: everything that can be known to fail is refused before anything is computed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import OutputError
from mars_score.files import pyarrow_extra
from mars_score.files.formats import OUTPUTS, format_of

if TYPE_CHECKING:
    from collections.abc import Iterable

STDOUT = "-"


def output_file(path: str | Path | None) -> Path | None:
    """Return the file of an output; ``None`` for standard output, which is ``-`` or no path at all."""
    return None if path is None or str(path) == STDOUT else Path(path)


def output_format(path: str | Path | None, format: str | None) -> str:
    """Return an output's format; standard output takes JSON lines unless told otherwise."""
    file = output_file(path)
    kind = "jsonl" if file is None and format is None else format_of(file or STDOUT, format, OUTPUTS)
    if kind is None:
        raise failed(
            str(path),
            "cannot tell the format from the name",
            f"use one of {', '.join(OUTPUTS)}, or name the format",
        )
    if kind == "parquet":
        if file is None:
            raise failed(
                "standard output", "Parquet cannot be written to a pipe", "name a file, or use jsonl"
            )
        try:
            pyarrow_extra.load()
        except ImportError as error:
            raise failed(str(path), pyarrow_extra.NEEDED, pyarrow_extra.INSTALL) from error
    return kind


def check_writable(
    path: str | Path | None, format: str | None = None, *, inputs: Iterable[str | Path] = ()
) -> None:
    """Refuse an output that cannot be written, or that would overwrite one of the inputs.

    A file that exists keeps its content; a file that does not is not made.
    """
    output_format(path, format)
    file = output_file(path)
    if file is None:
        return
    for given in inputs:
        if Path(given).exists() and file.exists() and file.samefile(given):
            raise failed(str(file), "this is the input; the results would overwrite it", "name another file")
    try:
        _probe(file)
    except OSError as error:
        raise unwritable(file, error) from error


def unwritable(path: Path, error: OSError) -> OutputError:
    """Return the error for an output that cannot be opened."""
    folder = path.parent
    if isinstance(error, IsADirectoryError) or path.is_dir():
        return failed(str(path), "this is a folder, not a file", "name a file in it")
    if not folder.exists():
        return failed(str(path), f"there is no folder {folder}", f"mkdir -p {folder}, or name another folder")
    if not folder.is_dir():
        return failed(str(path), f"{folder} is a file, not a folder", "name another folder")
    return failed(
        str(path),
        f"cannot be written: {error.strerror}",
        "choose a folder that you may write to, or chmod +w",
    )


def failed(place: str, problem: str, remedy: str) -> OutputError:
    """Return an output error in the same form as the errors of input."""
    return OutputError(f"{place}: {problem}\n  remedy: {remedy}")


def _probe(file: Path) -> None:
    """Try what a run will do: open the file, and make others beside it (the signature's, temporary ones)."""
    if file.exists() and not file.is_file() and not file.is_dir():
        # A pipe or a device: opening it would block or be noticed at the other end.
        if not os.access(file, os.W_OK):
            raise PermissionError(0, "Permission denied")
        return
    if file.exists():
        with open(file, "ab"):
            pass
    with tempfile.TemporaryFile(dir=file.parent):
        pass
