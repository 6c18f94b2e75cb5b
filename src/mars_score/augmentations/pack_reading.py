"""Reading a pack. The whole file is hashed once as it is opened; rows are then read one by one, as they are needed."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.augmentations.codec import DamagedRowError, decode
from mars_score.augmentations.keys import pair_key
from mars_score.augmentations.pack_format import (
    CHECKED,
    END,
    END_MAGIC,
    ENTRY,
    MAGIC,
    START,
    VERSION,
    Header,
    Names,
)
from mars_score.errors import InputError

if TYPE_CHECKING:
    from typing import IO

    from mars_score.types import Augmentation, Pair

_CHUNK = 1 << 20
_AGAIN = "fetch or copy the pack again, or make it with mars-score augment"


class Pack:
    """A file of augmented references. It is opened when it is first asked; memory holds its index alone."""

    def __init__(self, path: str | Path) -> None:
        """Name the file."""
        self.path = Path(path)

    def __len__(self) -> int:
        return len(self._content[1]) // ENTRY.size

    def __reduce__(self) -> tuple[type[Pack], tuple[Path]]:
        return Pack, (self.path,)

    @property
    def header(self) -> Header:
        """What the rows depend on."""
        return self._content[0]

    def find(self, pair: Pair) -> Augmentation | None:
        """Return the augmentation of a pair, or ``None`` if the pack does not have it."""
        header, index = self._content
        key = pair_key(header.signature, pair)
        low, high = 0, len(index) // ENTRY.size
        while low < high:  # the index stays as it is in the file: a tenth of what objects would take
            middle = (low + high) // 2
            start = middle * ENTRY.size
            if index[start : start + len(key)] < key:
                low = middle + 1
            else:
                high = middle
        if low * ENTRY.size >= len(index):
            return None
        found, position, length = ENTRY.unpack_from(index, low * ENTRY.size)
        return self._row(key, position, length) if found == key else None

    def _row(self, key: bytes, position: int, length: int) -> Augmentation:
        try:
            with self.path.open("rb") as stream:
                stream.seek(position)
                return decode(key, stream.read(length))
        except OSError as error:
            raise self._refused(f"cannot be read: {error.strerror}", "check the name") from error
        except DamagedRowError as error:
            raise self._refused("it has changed since it was opened", _AGAIN) from error

    @cached_property
    def _content(self) -> tuple[Header, bytes]:
        """The header and the index of a file that is whole and unchanged."""
        try:
            with self.path.open("rb") as stream:
                return self._read(stream)
        except OSError as error:
            problem = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
            raise self._refused(
                f"{problem}", "name a pack that mars-score augment DATA -o refs.marspack has made"
            ) from error

    def _read(self, stream: IO[bytes]) -> tuple[Header, bytes]:
        size = os.fstat(stream.fileno()).st_size
        start = stream.read(START.size)
        if not start or start[: len(MAGIC)] != MAGIC[: len(start)]:
            raise self._refused(
                "this is not a pack of augmented references",
                "give a file made by mars-score augment -o refs.marspack",
            )
        stream.seek(max(0, size - END.size))
        end = stream.read(END.size)
        if len(start) < START.size or size < START.size + END.size or end[-len(END_MAGIC) :] != END_MAGIC:
            raise self._refused("the pack is cut off: its end is missing", _AGAIN)
        _, version, rows, header_length = START.unpack(start)
        if version != VERSION:
            raise self._refused(
                f"the pack has format {version}; this version reads format {VERSION}",
                "install the version of mars-score that made it, or make the pack again",
            )
        position, count, recorded, _ = END.unpack(end)
        if _hash(stream, size - END.size + CHECKED) != recorded:
            raise self._refused("the pack was changed after it was made: its hash is another", _AGAIN)
        if rows != count or position + count * ENTRY.size + END.size != size:
            raise self._refused("the pack contradicts itself", _AGAIN)
        stream.seek(START.size)
        header = json.loads(stream.read(header_length))
        stream.seek(position)
        index = stream.read(count * ENTRY.size)
        return Header(Names(**header["names"]), header["parts"], header.get("made_with", {})), index

    def _refused(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, path=self.path, remedy=remedy)


def _hash(stream: IO[bytes], length: int) -> bytes:
    """Return the hash of a file's first bytes."""
    digest = hashlib.sha256()
    stream.seek(0)
    while length and (chunk := stream.read(min(_CHUNK, length))):
        digest.update(chunk)
        length -= len(chunk)
    return digest.digest()
