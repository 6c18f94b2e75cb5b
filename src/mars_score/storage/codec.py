"""An augmentation as bytes: compressed, and with a checksum, so that damage is noticed and never scored.

    checksum (16 bytes)   of the key and of all that follows
    zlib of JSON          [flags, sources, augmented]

The checksum covers the key: bytes that stand where another row should be are damage too. A reference's variants
share its text, so it is written once; a template is the lengths of its blocks and which of them are blank.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from mars_score.types import Augmentation, AugmentedReference, Block, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKSUM = 16
"""Bytes."""
_LEVEL = 6
_TEXT, _BLANK = "tb"


class DamagedRowError(ValueError):
    """Bytes that are not what was encoded under this key."""


def encode(key: bytes, found: Augmentation) -> bytes:
    """Return an augmentation's bytes; `key` is what they will be looked up by."""
    sources = list(dict.fromkeys(one.template.source for one in found.augmented))
    content = [found.flags, sources, [_written(one, sources) for one in found.augmented]]
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
        return Augmentation(tuple(_read(one, sources) for one in augmented), tuple(flags))
    # With the right checksum, only another version of this file can have written it.
    except (zlib.error, ValueError, TypeError, KeyError, IndexError) as error:
        raise DamagedRowError(f"it is in another form: {error}") from error


def _written(one: AugmentedReference, sources: Sequence[str]) -> list[Any]:
    blocks = one.template.blocks
    kinds = "".join(_BLANK if block.blank else _TEXT for block in blocks)
    # JSON writes a float with as many digits as it takes to read the same float again.
    return [
        one.ratio, sources.index(one.template.source), [len(block.text) for block in blocks], kinds, one.fills
    ]  # fmt: skip


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
