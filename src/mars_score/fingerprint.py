"""Is this number still valid? One rule for the cache, packs, the store of a study, and runs that are continued.

An output depends on the algorithms that it passes, on settings, on models (by their hashes) and on texts. The first
three are in its signature; `fingerprint` adds the texts. Equal fingerprints mean that an output may be used again.

An algorithm has a number. Whoever changes what comes out raises it: tests/golden fails until then. Neither the
version of the package nor its source is part of a fingerprint, so a release that computes the same numbers
invalidates nothing. Libraries may change numbers too; which ones made an output is recorded beside it
(`made_with`), and nothing is refused because of them.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING

from mars_score.version import __version__

if TYPE_CHECKING:
    from mars_score.types import Pair


# Is this number still valid? One rule for the cache, packs, the store of a study, and runs that are
# continued.

ALGORITHM: dict[str, int] = {"augment": 5, "naive": 3, "score": 7}
"""The stages of MARS: masking with guided infilling, masking with naive infilling, and the comparison with the
candidate. Any other metric has number 1 until it is entered here by its name."""

LIBRARIES = (
    "torch", "transformers", "tokenizers", "spacy", "wordfreq", "numpy", "scipy", "pot", "sacrebleu", "rouge-score",
    "nltk",
)  # fmt: skip
"""What can change numbers and is neither a setting nor a model."""


def algorithm(*names: str) -> str:
    """Name algorithms with their numbers, as signatures do: ``augment.v1+score.v2``."""
    return "+".join(f"{name}.v{number(name)}" for name in names)


def number(name: str) -> int:
    """The number of a stage's or a metric's algorithm."""
    return ALGORITHM.get(name, 1)


def metric_signature(name: str, **fields: str) -> str:
    """The signature of a metric other than MARS: its name, the number of its algorithm, then the fields in order."""
    return joined({name: f"v{number(name)}", **fields})


def joined(parts: dict[str, str]) -> str:
    """The parts of a signature in one line."""
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def fingerprint(signature: str, *texts: object) -> bytes:
    """Return the hash of all that an output depends on: 32 bytes."""
    return digest(signature, *texts)


def made_with() -> dict[str, str]:
    """Return the versions of this package and of the libraries that can change numbers, to be recorded with outputs.

    None of them is imported for that. An installed package without its metadata is left out.
    """
    found = {"mars-score": __version__}
    for name in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


# One name for many values: the keys by which computed things are found again.


def digest(*parts: object) -> bytes:
    """Return the hash of texts, numbers and lists of them."""
    # JSON, because it marks where one text ends and the next one starts.
    return hashlib.sha256(json.dumps(parts).encode()).digest()


# What an augmentation is found by: a hash of all that it depends on, so that nothing is ever out of date.

KEY = 32
"""Bytes of a key."""


def pair_key(signature: str, pair: Pair) -> bytes:
    """Return the key of a pair's augmentation in the cache and in packs; the signature is that of augmentations."""
    return fingerprint(signature, pair.context, pair.reference, pair.question)
