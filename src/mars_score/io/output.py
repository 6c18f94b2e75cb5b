"""Where results go: what is known to fail is refused before anything is computed; files appear whole or not at all."""

from __future__ import annotations

import errno
import importlib
import json
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mars_score.errors import ConfigError, OutputError, did_you_mean
from mars_score.fingerprint import made_with

INPUTS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
OUTPUTS = {suffix: name for suffix, name in INPUTS.items() if name != "json"}
"""A JSON list cannot be written row by row and still be valid if the process dies."""
STDIN = STDOUT = "-"
SIGNATURES = ".signatures.json"
"""Ends the name of the file beside results that says what they were made with."""
PARTIAL = ".partial.jsonl"
"""Ends the name of the file that has the rows of a Parquet file until its end."""
PYARROW_NEEDED = "Parquet needs the package pyarrow, which is not installed"
PYARROW_INSTALL = "pip install 'mars-score[parquet]', or use .jsonl"


def format_of(path: str | Path, name: str | None, formats: Mapping[str, str]) -> str | None:
    """Return the format that is named, else the suffix's; ``None`` for a suffix that is not known."""
    if name is None:
        return formats.get(Path(path).suffix.lower())
    names = dict.fromkeys(formats.values())
    if name not in names:
        raise ConfigError(
            f"unknown format {name!r}; there are {', '.join(names)}.{did_you_mean(name, names)}"
        )
    return name


def load_pyarrow() -> tuple[Any, Any]:
    """Return the modules ``pyarrow`` and ``pyarrow.parquet``, an extra; ``ImportError`` where there is none."""
    return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside a file; without an error, it takes the file's place at the end."""
    # Not from tempfile: its files are private to the user, and results are not. A name of its own, which is short
    # and which no other file has: neither a long name nor a file of the user's is in its way.
    while (temporary := path.with_name(f".mars-score-{secrets.token_hex(8)}.tmp")).exists():
        pass
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def output_file(path: str | Path | None) -> Path | None:
    """Return the file of an output; ``None`` for standard output, which is ``-`` or no path at all."""
    return None if path is None or str(path) == STDOUT else Path(path)


def output_format(path: str | Path | None, format: str | None) -> str:
    """Return an output's format; standard output takes JSON lines unless told otherwise."""
    file = output_file(path)
    kind = "jsonl" if file is None and format is None else format_of(file or STDOUT, format, OUTPUTS)
    if kind is None:
        remedy = f"use one of {', '.join(OUTPUTS)}, or name the format"
        raise failed(str(path), "cannot tell the format from the name", remedy)
    if kind == "parquet":
        if file is None:
            problem = "Parquet cannot be written to a pipe"
            raise failed("standard output", problem, "name a file, or use jsonl")
        try:
            load_pyarrow()
        except ImportError as error:
            raise failed(str(path), PYARROW_NEEDED, PYARROW_INSTALL) from error
    return kind


def check_writable(
    path: str | Path | None, format: str | None = None, *, inputs: Iterable[str | Path] = (), results: bool = True
) -> None:  # fmt: skip
    """Refuse an output that cannot be written, or that would overwrite one of the inputs.

    A file that exists keeps its content; a file that does not is not made. ``results`` have other files beside
    them, which may overwrite nothing either.
    """
    kind, file = output_format(path, format), output_file(path)
    if file is None:
        _check_stdout(inputs)
        return
    written = [file]
    if results:
        written += [file.with_name(f"{file.name}{SIGNATURES}")]
        written += [file.with_name(f"{file.name}{PARTIAL}")] * (kind == "parquet")
    for target in written:
        check_name(target)
        if target.exists() and any(_is_input(target.stat(), source) for source in inputs):
            problem = "this is the input; the results would overwrite it"
            if target is not file:
                problem = f"{target}, which is written beside it, is the input and would be overwritten"
            raise failed(str(file), problem, "name another file")
    try:
        _probe(file)
    except OSError as error:
        raise unwritable(file, error) from error


def check_name(file: Path) -> None:
    """Refuse a name that the system does not take, such as one that is too long."""
    try:
        os.lstat(file)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    except OSError as error:
        raise unwritable(file, error) from error
    except ValueError as error:  # a null character
        raise failed(repr(str(file)), f"cannot be written: {error}", "name another file") from error


def _check_stdout(inputs: Iterable[str | Path]) -> None:
    """Refuse standard output if it is closed, or if it goes to the end of an input."""
    try:
        descriptor = sys.stdout.fileno() if sys.stdout is not None else 1
        os.write(descriptor, b"")  # fails where nobody can write
        there = os.fstat(descriptor)
    except (OSError, ValueError) as error:
        if sys.stdout is not None and getattr(error, "errno", None) != errno.EBADF:
            return  # not a file of the system: a program took its place
        raise stdout_closed() from error
    if stat.S_ISREG(there.st_mode) and any(_is_input(there, source) for source in inputs):
        raise failed("standard output", "this is the input, and would grow as it is read", "use another file")


def stdout_closed() -> OutputError:
    """Return the error for a standard output that nobody can write to."""
    return failed("standard output", "it is closed", "name a file with -o FILE, or leave it open")


def _is_input(output_stat: os.stat_result, path: str | Path) -> bool:
    """Whether a file is an input, under whatever name: by a link, or in other case where that is the same."""
    try:
        input_stat = os.fstat(0) if str(path) == STDIN else os.stat(path)
    except (OSError, ValueError):
        return False
    return os.path.samestat(output_stat, input_stat)


def unwritable(path: Path, error: OSError) -> OutputError:
    """Return the error for an output that cannot be opened."""
    folder = path.parent
    if error.errno == errno.ENAMETOOLONG:
        return failed(
            f"{path.name[:60]}..." if len(path.name) > 60 else str(path),
            f"a name of {len(os.fsencode(path.name))} bytes, or its whole path, is too long for this file system",
            "choose a shorter one; most systems take 255 bytes, and files beside the output have longer names",
        )
    if isinstance(error, IsADirectoryError) or path.is_dir():
        return failed(str(path), "this is a folder, not a file", "name a file in it")
    if not folder.exists():
        return failed(str(path), f"there is no folder {folder}", f"mkdir -p {folder}, or name another folder")
    if not folder.is_dir():
        return failed(str(path), f"{folder} is a file, not a folder", "name another folder")
    remedy = "choose a folder that you may write to, or chmod +w"
    return failed(str(path), f"cannot be written: {error.strerror}", remedy)


def failed(output: str, problem: str, remedy: str) -> OutputError:
    """Return an output error in the same form as the errors of input."""
    return OutputError(f"{output}: {problem}\n  remedy: {remedy}")


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


def write_signatures(
    path: str | Path | None, signatures: Mapping[str, str], extra: Mapping[str, object] | None = None
) -> Path | None:
    """Write ``<path>.signatures.json``, with the signature of each metric, and return its path.

    A number never travels without its signature. The versions of this package and of the libraries that can change
    numbers are recorded with them; they decide nothing.

    ``extra`` says what the results were made from, as ``{"input": "rows.jsonl", "rows": 420}``. Results that
    went to standard output, a pipe or a device have no place beside them: nothing is written.
    """
    sidecar = sidecar_of(path)
    if sidecar is None:
        return None
    content = {"signatures": dict(signatures), "made_with": made_with(), **(extra or {})}
    try:
        with replacing(sidecar) as temporary:
            text = json.dumps(content, indent=2, ensure_ascii=False)
            temporary.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise unwritable(sidecar, error) from error
    return sidecar


def read_signatures(path: str | Path | None) -> dict[str, Any] | None:
    """Return what was written beside results; None where that is nothing, or nothing that can be read."""
    sidecar = sidecar_of(path)
    if sidecar is None:
        return None
    try:
        content = json.loads(sidecar.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def sidecar_of(path: str | Path | None) -> Path | None:
    """Return the file of signatures beside an output, which need not be there; None where it has no place."""
    file = output_file(path)
    if file is None or (file.exists() and not file.is_file()):
        return None
    return file.with_name(f"{file.name}{SIGNATURES}")
