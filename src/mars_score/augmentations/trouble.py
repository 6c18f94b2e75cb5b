"""What is wrong with a database, told from SQLite's complaint.

full        no space left: an error, as whoever goes on would lose what is computed
unusable    no permission, or locked for too long: the work goes on without the file
damaged     anything else: the file is not what was written
"""

from __future__ import annotations

import errno
import shutil
from typing import TYPE_CHECKING, Literal

from filelock import Timeout

from mars_score.augmentations.places import FOLDER
from mars_score.files.output_path import failed

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.errors import OutputError

Trouble = Literal["full", "unusable", "damaged"]
_HARDLY_FREE = 1 << 20
"""Bytes; with fewer, what SQLite calls an input-output error is a full disk."""


def trouble(error: Exception, folder: Path) -> Trouble:
    """Say what an error of SQLite or of the system means for a file in a folder."""
    # By its words: Python has SQLite's codes only since 3.11.
    told = str(error).lower()
    perhaps_full = "disk i/o error" in told or "unable to open" in told
    no_space = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    if "disk is full" in told or no_space or (perhaps_full and _hardly_free(folder)):
        return "full"
    if isinstance(error, OSError | Timeout) or perhaps_full:
        return "unusable"
    return "unusable" if any(mark in told for mark in ("locked", "busy", "readonly", "denied")) else "damaged"


def disk_full(path: Path) -> OutputError:
    """Return the error for a disk that is full."""
    return failed(
        str(path),
        "the disk is full; augmented references cannot be kept",
        f"free some space, then run the same command again; or set {FOLDER} to another folder, "
        "or leave the cache out with --no-cache",
    )


def _hardly_free(folder: Path) -> bool:
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free < _HARDLY_FREE
