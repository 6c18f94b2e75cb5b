"""The distinct references of many rows: all that augmentation has to do with."""

from __future__ import annotations

import hashlib
from itertools import islice
from typing import TYPE_CHECKING

from mars_score.examples import clean_examples
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mars_score.types import Pair

_TOGETHER = 256
"""Rows that are cleaned together: contexts and references come again, mostly soon."""


def distinct_references(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield each context with each of its references once, in the order of the rows.

    Each is an example without a candidate, cleaned, whose id is its number. Of those that have been, a hash is
    kept, which takes about 80 bytes.
    """
    seen: set[int] = set()
    rest = iter(examples)
    while some := list(islice(rest, _TOGETHER)):
        for pair in dict.fromkeys(pair for example in clean_examples(some) for pair in example.pairs):
            key = _hash(pair)
            if key not in seen:
                seen.add(key)
                yield Example(str(len(seen)), "", (pair.reference,), pair.context, pair.question)


def _hash(pair: Pair) -> int:
    lengths = ",".join(str(len(text)) for text in pair)
    text = f"{lengths};{''.join(pair)}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "little")
