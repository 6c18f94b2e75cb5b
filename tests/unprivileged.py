"""Read-only that means it, also where tests run as the superuser."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder of somebody to whom read-only means read-only; the superuser becomes nobody for a while."""
    folder = Path(tempfile.mkdtemp())
    nobody = 65534
    superuser = os.geteuid() == 0
    if superuser:
        os.chown(folder, nobody, nobody)
        os.seteuid(nobody)
    try:
        yield folder
    finally:
        if superuser:
            os.seteuid(0)
        shutil.rmtree(folder)
