"""What an augmentation is found by: a hash of all that it depends on, so that nothing is ever out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.fingerprint import fingerprint

if TYPE_CHECKING:
    from mars_score.types import Pair

KEY = 32
"""Bytes of a key."""


def pair_key(signature: str, pair: Pair) -> bytes:
    """Return the key of a pair's augmentation in the cache and in packs; the signature is that of augmentations."""
    return fingerprint(signature, pair.context, pair.reference, pair.question)
