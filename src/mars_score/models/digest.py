"""Hashes of files."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

from mars_score.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import IO

_CHUNK = 1 << 20


def chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Read a stream to its end."""
    while chunk := stream.read(_CHUNK):
        yield chunk


def sha256_of(path: Path, advance: Callable[[int], None] | None = None) -> str:
    """Return a file's sha256; ``advance`` hears how many further bytes were read."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        for chunk in chunks(stream):
            digest.update(chunk)
            if advance:
                advance(len(chunk))
    return digest.hexdigest()


def sha256_once(path: Path) -> str:
    """Return a file's sha256, read once a process; size and time of change tell whether it is still the same."""
    stat = path.stat()
    return _known(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _known(path: Path, size: int, changed: int) -> str:
    return sha256_of(path)


def write_checked(
    data: Iterable[bytes], target: Path, size: int, sha256: str, advance: Callable[[int], None]
) -> None:
    """Write a file that must have this size and hash; stops as soon as it grows too long."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, written = hashlib.sha256(), 0
    with target.open("wb") as out:
        for chunk in data:
            written += len(chunk)
            if written > size:
                break
            out.write(chunk)
            digest.update(chunk)
            advance(len(chunk))
    if written != size:
        raise IntegrityError(
            f"{target.name} is {'longer' if written > size else 'shorter'} than {size} bytes"
        )
    if digest.hexdigest() != sha256:
        raise IntegrityError(f"{target.name} has sha256 {digest.hexdigest()} instead of {sha256}")
