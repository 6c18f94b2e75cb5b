"""The manifest of a finished model folder: how it was made and what every file of it hashes to."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

from mars_score.errors import IntegrityError
from mars_score.models.catalogue import CONVERTER_VERSIONS, CatalogueEntry

NAME = "manifest.json"
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


HASHES = ".hashes.json"
_FRESH = 2 * 10**9
"""Nanoseconds. A file that changed so recently may change again under the same time of change."""


def sha256_once(path: Path, record: Path | None = None) -> str:
    """Return a file's sha256, read again only when the file has changed.

    Its size, inode and times of change tell, which `record` keeps with the hash; by default the one of the model
    store. A bit that rots under all of them is for `models verify` and `--verify` to find.
    """
    path = path.absolute()
    stat = path.stat()
    version = [stat.st_size, stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns]
    record = record or _default_record()
    recorded = _read_record(record).get(str(path))
    if isinstance(recorded, dict) and recorded.get("version") == version:
        return str(recorded["sha256"])
    return _sha256_of_version(path, tuple(version), record)


@lru_cache(maxsize=256)
def _sha256_of_version(path: Path, version: tuple[int, ...], record: Path) -> str:
    digest = sha256_of(path)
    if time.time_ns() - max(version[2:]) > _FRESH:
        others = {name: entry for name, entry in _read_record(record).items() if Path(name).exists()}
        text = json.dumps({**others, str(path): {"version": list(version), "sha256": digest}}, indent=1)
        # A store may be read-only, and of two processes that write the later wins: the hash is only read again.
        with suppress(OSError):
            with tempfile.NamedTemporaryFile("w", dir=record.parent, prefix=HASHES, delete=False) as file:
                file.write(text)
            os.replace(file.name, record)
    return digest


def _read_record(record: Path) -> dict[str, object]:
    try:
        entries = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _default_record() -> Path:
    from mars_score.models.store import default_root

    return default_root() / HASHES


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


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a model folder."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a model folder holds."""

    name: str
    recipe: str
    """The hash of the catalogue entry that it was made from."""
    converter: str
    converter_version: int
    sources: dict[str, str]
    """Package and file -> sha256 of all that was taken out of archives."""
    files: dict[str, StoredFile]


def write_manifest(folder: Path, entry: CatalogueEntry, advance: Callable[[int], None]) -> Path:
    """Hash every file of the folder, write its manifest and return the manifest's path."""
    manifest = Manifest(
        name=entry.name,
        recipe=entry.hash,
        converter=entry.converter,
        converter_version=CONVERTER_VERSIONS[entry.converter],
        sources={
            f"{source.requirement}/{item.path}": item.sha256
            for source in entry.sources
            for item in source.files
        },
        files={
            name: StoredFile((folder / name).stat().st_size, sha256_of(folder / name, advance))
            for name in _files(folder)
        },
    )
    path = folder / NAME
    path.write_text(json.dumps(asdict(manifest), indent=1) + "\n", encoding="utf-8")
    return path


def read_manifest(folder: Path) -> Manifest | None:
    """Return the folder's manifest, or ``None`` if it has none that can be read."""
    try:
        data = json.loads((folder / NAME).read_text(encoding="utf-8"))
        data["files"] = {name: StoredFile(**item) for name, item in data["files"].items()}
        return Manifest(**data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def quick_problems(folder: Path, entry: CatalogueEntry) -> list[str]:
    """Return what is wrong at a glance: missing files, other sizes, a recipe that has changed since."""
    manifest = read_manifest(folder)
    if manifest is None:
        return [f"{NAME} is missing or unreadable"]
    if manifest.recipe != entry.hash:
        return ["it was made by another version of the catalogue or the converter"]
    problems = []
    for name, item in manifest.files.items():
        try:
            size = (folder / name).stat().st_size
        except OSError:
            problems.append(f"{name} is missing")
        else:
            if size != item.size:
                problems.append(f"{name} has {size} bytes instead of {item.size}")
    return problems


def all_problems(folder: Path, entry: CatalogueEntry, advance: Callable[[int], None]) -> list[str]:
    """Return what is wrong after reading every byte, and which files do not belong here."""
    manifest = read_manifest(folder)
    unknown = [name for name in _files(folder) if name not in manifest.files] if manifest else []
    return content_problems(folder, entry, advance) + [f"{name} does not belong here" for name in unknown]


def content_problems(
    folder: Path,
    entry: CatalogueEntry,
    advance: Callable[[int], None] | None = None,
    *,
    record: Path | None = None,
) -> list[str]:
    """Return what is wrong with the recorded files after reading every byte of them.

    With a `record` of hashes, every byte of those that have changed since they were read last.
    """
    problems, manifest = quick_problems(folder, entry), read_manifest(folder)
    for name, item in manifest.files.items() if manifest else ():
        path = folder / name
        if not path.is_file() or path.stat().st_size != item.size:
            continue
        if (sha256_once(path, record) if record else sha256_of(path, advance)) != item.sha256:
            problems.append(f"{name} has changed: its sha256 is not the recorded one")
    return problems


def _files(folder: Path) -> list[str]:
    """All files by relative name; hidden ones are the desktop's, not ours."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return sorted(path.relative_to(folder).as_posix() for path in files if path != folder / NAME)
