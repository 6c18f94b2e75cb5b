"""Writing a pack. It appears under its name when it is complete, or not at all."""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.augmentations.codec import encode
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
)
from mars_score.files.output_path import failed, unwritable
from mars_score.files.replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from mars_score.types import Augmentation, Pair

_CHUNK = 1 << 20


@contextmanager
def pack_writer(path: str | Path, header: Header) -> Iterator[PackWriter]:
    """Give a writer of rows; when the block ends without an error, the pack takes its place."""
    target = Path(path)
    with replacing(target) as temporary:
        try:
            stream = temporary.open("w+b")
        except OSError as error:
            raise unwritable(target, error) from error
        writer = PackWriter(stream, header, target)
        try:
            yield writer
            writer.finish()
        finally:
            with suppress(OSError):  # what could not be written was told before
                stream.close()


class PackWriter:
    """Writes rows; equal pairs once."""

    def __init__(self, stream: IO[bytes], header: Header, target: Path) -> None:
        """Begin the file; the target is its name in messages."""
        self._stream, self._signature, self._target = stream, header.signature, target
        self._header = json.dumps(header.as_json()).encode()  # the parts in order, as they make the signature
        self._index: dict[bytes, tuple[int, int]] = {}
        self._position = 0
        self._write(self._start())
        self._write(self._header)

    def __len__(self) -> int:
        return len(self._index)

    def add(self, pair: Pair, found: Augmentation) -> None:
        """Write one row, unless it is there already."""
        key = pair_key(self._signature, pair)
        if key not in self._index:
            row = encode(key, found)
            self._index[key] = self._position, len(row)
            self._write(row)

    def finish(self) -> None:
        """Write index and end. Only now the number of rows is known, which stands at the start."""
        rows = self._position
        for key, (position, length) in sorted(self._index.items()):
            self._write(ENTRY.pack(key, position, length))
        with self._told():
            self._stream.seek(0)
            self._stream.write(self._start())
            self._stream.seek(0)
            digest = hashlib.sha256()
            while chunk := self._stream.read(_CHUNK):
                digest.update(chunk)
            numbers = END.pack(rows, len(self._index), b"", b"")[:CHECKED]
            digest.update(numbers)
            self._stream.write(numbers + digest.digest() + END_MAGIC)
            self._stream.flush()

    def _write(self, data: bytes) -> None:
        with self._told():
            self._stream.write(data)
        self._position += len(data)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise failed(
                str(self._target),
                f"cannot be written: {error.strerror or error}",
                "free some space, then run the same command again; what is in the cache is not computed again",
            ) from error

    def _start(self) -> bytes:
        return START.pack(MAGIC, VERSION, len(self._index), len(self._header))
