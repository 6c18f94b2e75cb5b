"""Opening an input: a file, or standard input; every failure is an ``InputError``."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from mars_score.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIN = "-"


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
        near = did_you_mean(Path(path).name, _names_beside(Path(path)))
        remedy = f"check the path; a relative one starts at the current folder.{near}"
        return InputError("no such file", path=path, remedy=remedy)
    if isinstance(error, PermissionError):
        return InputError("no permission to read this file", path=path, remedy="chmod +r, or ask its owner")
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(
        f"cannot be read: {reason}", path=shown(path), remedy="give the path of a readable file"
    )


def _names_beside(path: Path) -> list[str]:
    try:
        return os.listdir(path.parent)
    except OSError:
        return []
