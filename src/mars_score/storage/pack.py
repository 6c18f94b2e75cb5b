"""Augmented references as bytes, and packs of them: files from which everyone compares with the same texts."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, Any

from mars_score.errors import InputError
from mars_score.fingerprint import KEY, joined, pair_key
from mars_score.io.output import failed, replacing, unwritable
from mars_score.types import Augmentation, AugmentedReference, Block, Pair, Template

# An augmentation as bytes: compressed, and with a checksum, so that damage is noticed and never scored.
#
#    checksum (16 bytes)   of the key and of all that follows
#    zlib of JSON          [flags, sources, augmented]
#
# The checksum covers the key: bytes that stand where another row should be are damage too. A reference's variants
# share its text, so it is written once; a template is the lengths of its blocks and which of them are blank.

CHECKSUM = 16
"""Bytes."""
_LEVEL = 6
_TEXT, _BLANK = "tb"


class DamagedRowError(ValueError):
    """Bytes that are not what was encoded under this key."""


def encode(key: bytes, augmentation: Augmentation) -> bytes:
    """Return an augmentation's bytes; `key` is what they will be looked up by."""
    variants = augmentation.augmented
    sources = list(dict.fromkeys(variant.template.source for variant in variants))
    content = [augmentation.flags, sources, [_written(variant, sources) for variant in variants]]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Python's texts may hold halves of surrogate pairs; this keeps them as they are.
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)
    return _checksum(key, packed) + packed


def decode(key: bytes, data: bytes) -> Augmentation:
    """Return the augmentation that was encoded under this key, or raise :class:`DamagedRowError`."""
    packed = data[CHECKSUM:]
    if len(data) <= CHECKSUM or data[:CHECKSUM] != _checksum(key, packed):
        raise DamagedRowError("the checksum does not fit")
    try:
        flags, sources, augmented = json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass"))
        return Augmentation(tuple(_read(variant, sources) for variant in augmented), tuple(flags))
    # With the right checksum, only another version of this file can have written it.
    except (zlib.error, ValueError, TypeError, KeyError, IndexError) as error:
        raise DamagedRowError(f"it is in another form: {error}") from error


def _written(variant: AugmentedReference, sources: Sequence[str]) -> list[Any]:
    blocks, source = variant.template.blocks, sources.index(variant.template.source)
    kinds = "".join(_BLANK if block.blank else _TEXT for block in blocks)
    # JSON writes a float with as many digits as it takes to read the same float again.
    return [variant.ratio, source, [len(block.text) for block in blocks], kinds, variant.fills]


def _read(written: list[Any], sources: Sequence[str]) -> AugmentedReference:
    ratio, source, lengths, kinds, fills = written
    borders = pairwise(accumulate(lengths, initial=0))
    blocks = tuple(
        Block(sources[source][start:end], kind == _BLANK)
        for (start, end), kind in zip(borders, kinds, strict=True)
    )
    return AugmentedReference(Template(ratio, blocks), tuple(fills))


def _checksum(key: bytes, packed: bytes) -> bytes:
    # The key goes in by its length: no other key and bytes can run together to the same.
    return hashlib.blake2b(len(key).to_bytes(8, "big") + key + packed, digest_size=CHECKSUM).digest()


# The file of a pack: start, header, rows, index, end.

SUFFIX = ".marspack"
MAGIC, END_MAGIC = b"\x89MARSPACK\r\n\x1a\n", b"MARSDONE"
"""The first one is spoilt by whatever takes the file for text."""
VERSION = 1
START = struct.Struct(f"<{len(MAGIC)}sHQI")
ENTRY = struct.Struct(f"<{KEY}sQI")
END = struct.Struct(f"<QQ32s{len(END_MAGIC)}s")
CHECKED = 16
"""Bytes of the end that its hash covers: the two numbers."""


@dataclass(frozen=True, slots=True)
class Names:
    """The models behind augmented references, as signatures name them."""

    lm: str
    tagger: str
    idf: str
    """For a corpus, with its hash."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the rows of a pack depend on."""

    names: Names
    parts: dict[str, str]
    """The parts of the augmentation signature; they contain the names."""
    made_with: dict[str, str] = field(default_factory=dict, compare=False)
    """The versions of this package and of libraries, for information only."""

    @property
    def signature(self) -> str:
        """The augmentation signature in one line."""
        return joined(self.parts)


_CHUNK = 1 << 20
_AGAIN = "fetch or copy the pack again, or make it with mars-score augment"


class Pack:
    """A file of augmented references. It is opened, and hashed, when it is first asked; rows are read one by one.

    Memory holds its index alone.
    """

    def __init__(self, path: str | Path) -> None:
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
        # The index stays as it is in the file: a tenth of what objects would take.
        starts = range(0, len(index), ENTRY.size)
        number = bisect_left(starts, key, key=lambda start: index[start : start + len(key)])
        if number == len(starts):
            return None
        present, position, length = ENTRY.unpack_from(index, starts[number])
        if present != key:
            return None
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
            problem = "there is no such file" if isinstance(error, FileNotFoundError) else str(error.strerror)
            remedy = "name a pack that mars-score augment DATA -o refs.marspack has made"
            raise self._refused(problem, remedy) from error

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
        if _digest(stream, size - END.size + CHECKED).digest() != recorded:
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


def _digest(stream: IO[bytes], length: int) -> hashlib._Hash:
    """Return the sha256 of a file's first bytes."""
    digest = hashlib.sha256()
    stream.seek(0)
    while length and (chunk := stream.read(min(_CHUNK, length))):
        digest.update(chunk)
        length -= len(chunk)
    return digest


@contextmanager
def pack_writer(path: str | Path, header: Header) -> Iterator[PackWriter]:
    """Give a writer of rows; the pack appears when the block ends without an error, whole or not at all."""
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
            with suppress(OSError):  # what could not be written was reported before
                stream.close()


class PackWriter:
    """Writes rows; equal pairs once."""

    def __init__(self, stream: IO[bytes], header: Header, target: Path) -> None:
        """Begin the file; the target is its name in messages."""
        self._stream, self._signature, self._target = stream, header.signature, target
        self._header = json.dumps(asdict(header)).encode()  # the parts in order, as they make the signature
        self._index: dict[bytes, tuple[int, int]] = {}
        self._position = 0
        self._write(self._start())
        self._write(self._header)

    def __len__(self) -> int:
        return len(self._index)

    def add(self, pair: Pair, augmentation: Augmentation) -> None:
        """Write one row, unless it is there already."""
        key = pair_key(self._signature, pair)
        if key not in self._index:
            row = encode(key, augmentation)
            self._index[key] = self._position, len(row)
            self._write(row)

    def finish(self) -> None:
        """Write index and end. Only now the number of rows is known, which stands at the start."""
        rows = self._position
        for key, (position, length) in sorted(self._index.items()):
            self._write(ENTRY.pack(key, position, length))
        with self._reporting():
            self._stream.seek(0)
            self._stream.write(self._start())
            digest = _digest(self._stream, self._position)
            numbers = END.pack(rows, len(self._index), b"", b"")[:CHECKED]
            digest.update(numbers)
            self._stream.write(numbers + digest.digest() + END_MAGIC)
            self._stream.flush()

    def _write(self, data: bytes) -> None:
        with self._reporting():
            self._stream.write(data)
        self._position += len(data)

    @contextmanager
    def _reporting(self) -> Iterator[None]:
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
