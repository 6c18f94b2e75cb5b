"""The file of a pack: augmented references that a lab publishes, so that everyone compares with the same ones.

    start     magic, version of the format, rows, length of the header
    header    JSON: the names of the models, the parts of the augmentation signature, and what made the pack
    rows      the bytes of `codec`, one after the other
    index     for each row its key, where it starts and how long it is; sorted by key
    end       where the index starts, rows, sha256 of everything before, magic

The end proves that the file is whole, and its hash that it is unchanged. The same rows make the same bytes.
"""

from __future__ import annotations

import struct
from dataclasses import asdict, dataclass, field

from mars_score.augmentations.keys import KEY
from mars_score.fingerprint import joined

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
    """The versions of this package and of libraries, for whoever wants to know; nothing depends on them."""

    @property
    def signature(self) -> str:
        """The augmentation signature in one line."""
        return joined(self.parts)

    def as_json(self) -> dict[str, dict[str, str]]:
        """Plain data."""
        return asdict(self)
