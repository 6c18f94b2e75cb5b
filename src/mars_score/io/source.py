"""Opening an input, and text from its bytes: UTF-8, LF or CRLF, with line numbers."""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from mars_score.errors import InputError, did_you_mean

STDIN = "-"
DELIMITERS = {"csv": ",", "tsv": "\t"}
PIECE = 1 << 16
"""At most this many bytes are decoded at once, so that a file of one endless line is no burden."""


def shown(path: str | Path) -> str:
    """Return the name of an input in messages and results; bytes of a name that are not UTF-8 are spelled out."""
    if str(path) == STDIN:
        return "<stdin>"
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def check_readable(path: str | Path) -> None:
    """Refuse what cannot be read, before anything is opened or computed."""
    if str(path) == STDIN:
        return
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if stat.S_ISDIR(mode):
        raise InputError("this is a folder, not a file", path=path, remedy="give the path of a file in it")
    if not os.access(path, os.R_OK):
        raise _unreadable(path, PermissionError())


def is_regular(path: str | Path) -> bool:
    """Tell whether an input can be read twice; a pipe cannot."""
    return str(path) != STDIN and os.path.isfile(path)


@contextmanager
def open_input(path: str | Path) -> Iterator[BinaryIO]:
    """Open an input for reading bytes; a failing read inside the block is an ``InputError`` too."""
    try:
        if str(path) == STDIN:
            if sys.stdin is None:
                raise OSError(errno.EBADF, "it is closed")
            yield sys.stdin.buffer
        else:
            with open(path, "rb") as stream:
                yield stream
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | Path, error: OSError | ValueError) -> InputError:
    if isinstance(error, FileNotFoundError):
        near = ""
        with suppress(OSError):
            near = did_you_mean(Path(path).name, os.listdir(Path(path).parent))
        remedy = f"check the path; a relative one starts at the current folder.{near}"
        return InputError("no such file", path=path, remedy=remedy)
    if isinstance(error, PermissionError):
        return InputError("no permission to read this file", path=path, remedy="chmod +r, or ask its owner")
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(
        f"cannot be read: {reason}", path=shown(path), remedy="give the path of a readable file"
    )


def pieces(stream: BinaryIO, path: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers and decoded text; a piece ends with its line or after ``PIECE`` bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, offset = 1, 0
    while raw := stream.readline(PIECE):
        if offset == 0 and raw.startswith(codecs.BOM_UTF8):
            raw, offset = raw[len(codecs.BOM_UTF8) :], len(codecs.BOM_UTF8)
        yield line, _decode(decoder, raw, path, line, offset)
        offset += len(raw)
        line += raw.endswith(b"\n")
    _decode(decoder, b"", path, line, offset)


def lines(parts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Join pieces to whole lines, without their line ends. Only LF and CRLF end a line."""
    held: list[str] = []
    number = 1
    for number, text in parts:
        held.append(text)
        if text.endswith("\n"):
            yield number, "".join(held)[:-1].removesuffix("\r")
            held.clear()
    if any(held):
        yield number, "".join(held)


def _decode(decoder: codecs.IncrementalDecoder, raw: bytes, path: str, line: int, offset: int) -> str:
    """Decode the next bytes of a file, which start at an offset; no bytes mean the end of the file."""
    # A piece may end inside a character: the decoder keeps its first bytes, and counts errors from there.
    start = offset - len(decoder.getstate()[0])
    if b"\0" in raw:
        problem = f"a NUL byte at byte {offset + raw.index(0)}: this is not plain text"
        remedy = "save the file as UTF-8; if it is UTF-16 now: iconv -f UTF-16 -t UTF-8 OLD > NEW"
        raise InputError(problem, path=path, line=line, remedy=remedy)
    try:
        return decoder.decode(raw, not raw)
    except UnicodeDecodeError as error:
        bad = error.object[error.start]
        problem = f"not UTF-8: byte 0x{bad:02x} at byte {start + error.start}"
        remedy = "save the file as UTF-8, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW"
        raise InputError(problem, path=path, line=line, remedy=remedy) from error
