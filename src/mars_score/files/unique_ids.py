"""Ids that come twice, found with eight bytes of memory for each row."""

from __future__ import annotations

import hashlib
from array import array
from typing import TYPE_CHECKING

from mars_score.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mars_score.types import Example

Numbered = tuple[int, "Example"]
"""An example with the line that it starts on."""


def unique(
    examples: Iterable[Numbered], again: Callable[[], Iterable[Numbered]], path: str
) -> Iterator[Example]:
    """Yield examples; at their end, an id that came twice is an error that names both of its lines.

    Only hashes are kept. Where two are equal, the rows are read `again` to see whether the ids are, too.
    """  # fmt: skip
    hashes = array("Q")
    for _, example in examples:
        hashes.append(_hash(example.id))
        yield example
    suspects = _repeated(hashes)
    if suspects:
        _refuse(((line, example) for line, example in again() if _hash(example.id) in suspects), path)


def unique_at_once(examples: Iterable[Numbered], path: str) -> Iterator[Example]:
    """Yield examples that cannot be read again: every id is kept, and one that comes twice ends it there."""
    lines: dict[bytes, int] = {}
    for line, example in examples:
        # Hashes, so that long ids cost no more memory than short ones.
        key = hashlib.blake2b(example.id.encode(), digest_size=12).digest()
        if key in lines:
            raise _twice(example.id, lines[key], line, path)
        lines[key] = line
        yield example


def _hash(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def _repeated(hashes: array[int]) -> set[int]:
    """The hashes that are there more than once; puts all of them in order."""
    import numpy as np  # noqa: PLC0415  (a reader that finds a bad row first does without it)

    ordered = np.frombuffer(hashes, dtype=np.uint64)
    ordered.sort()
    return set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())


def _refuse(suspects: Iterable[Numbered], path: str) -> None:
    lines: dict[str, int] = {}
    for line, example in suspects:
        if example.id in lines:
            raise _twice(example.id, lines[example.id], line, path)
        lines[example.id] = line


def _twice(name: str, first: int, second: int, path: str) -> InputError:
    return InputError(
        f"the id {name!r} is on line {first} and again on line {second}",
        path=path,
        line=second,
        remedy="make ids unique, or give none: a row without an id takes its number",
    )
