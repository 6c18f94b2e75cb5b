"""A hash of the code that makes augmentations: whoever changes it must not find what the old code has made.

A released version says as much. This is for all that lies between two versions.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files

PLACES = (
    "masking",
    "lm",
    "infilling",
    "infilling/decoder",
    "models/packed.py",
    "metrics/augmenting.py",
    "flags.py",
    "types.py",
)
"""Folders and files of this package from which an augmentation follows."""
_LENGTH = 8


@lru_cache(maxsize=1)
def code_hash() -> str:
    """Return 8 hex digits that change with the code."""
    digest = hashlib.sha256()
    for place in PLACES:
        found = files("mars_score").joinpath(*place.split("/"))
        sources = [found] if found.is_file() else sorted(found.iterdir(), key=lambda path: path.name)
        for path in sources:
            if path.name.endswith(".py"):
                content = path.read_bytes()
                digest.update(f"{place}/{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:_LENGTH]
