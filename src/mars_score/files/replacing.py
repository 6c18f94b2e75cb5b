"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
