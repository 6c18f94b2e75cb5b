"""Text from bytes: UTF-8 with or without a byte order mark, LF or CRLF, with line numbers."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, BinaryIO

from mars_score.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PIECE = 1 << 16
"""At most this many bytes are decoded at once, so that a file of one endless line is no burden."""


def pieces(stream: BinaryIO, path: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers and decoded text; a piece ends with its line or after ``PIECE`` bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, offset = 1, 0
    while raw := stream.readline(PIECE):
        if offset == 0 and raw.startswith(codecs.BOM_UTF8):
            raw, offset = raw[len(codecs.BOM_UTF8) :], len(codecs.BOM_UTF8)
        yield line, _decode(decoder, raw, path, line, offset)
        offset += len(raw)
        line += raw.endswith(b"\n")
    _decode(decoder, b"", path, line, offset)


def lines(parts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Join pieces to whole lines, without their line ends. Only LF and CRLF end a line."""
    held: list[str] = []
    number = 1
    for number, text in parts:
        held.append(text)
        if text.endswith("\n"):
            yield number, "".join(held)[:-1].removesuffix("\r")
            held.clear()
    if any(held):
        yield number, "".join(held)


def _decode(decoder: codecs.IncrementalDecoder, raw: bytes, path: str, line: int, offset: int) -> str:
    """Decode the next bytes of a file, which start at an offset; no bytes mean the end of the file."""
    # A piece may end inside a character: the decoder keeps its first bytes, and counts errors from there.
    start = offset - len(decoder.getstate()[0])
    if b"\0" in raw:
        raise InputError(
            f"a NUL byte at byte {offset + raw.index(0)}: this is not plain text",
            path=path,
            line=line,
            remedy="save the file as UTF-8; if it is UTF-16 now: iconv -f UTF-16 -t UTF-8 OLD > NEW",
        )
    try:
        return decoder.decode(raw, not raw)
    except UnicodeDecodeError as error:
        bad = error.object[error.start]
        raise InputError(
            f"not UTF-8: byte 0x{bad:02x} at byte {start + error.start}",
            path=path,
            line=line,
            remedy="save the file as UTF-8, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW",
        ) from error
