"""The command line with toys for models, where the plumbing is measured and not the models.

    python -m benchmarks.faults.toys score rows.jsonl -o out.jsonl

Everything runs as it always does but for the tagger, what fills blanks, and the encoder. `TOY_SECONDS` in the
environment says how long to take for each reference: then there is time to be disturbed.
"""

from __future__ import annotations

import os
import time
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from mars_score.encoders.base import Encoding
from mars_score.mars.scorer import MarsScorer
from mars_score.progress import Progress, silent
from mars_score.types import AugmentedReference, Infilled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.masking.tagging import Tag
    from mars_score.types import InfillingRequest

WIDTH = 384
"""Of a vector, as the default encoder has it."""


class Nouns:
    """A tagger to whom every word is a noun."""

    name = "nouns"
    language = "en"

    def tags(self, words: Sequence[str]) -> list[Tag]:
        """Call each word a noun."""
        return ["noun" for _ in words]


class Dots:
    """Fills every blank with dots."""

    def fill(self, requests: Sequence[InfillingRequest], progress: Progress = silent) -> list[Infilled]:
        """Write dots."""
        for done in range(1, len(requests) + 1):
            time.sleep(float(os.environ.get("TOY_SECONDS", "0")))
            progress(done, len(requests))
        return [
            Infilled(
                tuple(
                    AugmentedReference(template, (" ...",) * template.blanks)
                    for template in request.templates
                )
            )
            for request in requests
        ]


class Checksums:
    """An encoder whose vectors follow from a checksum of the text."""

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode texts."""
        progress(len(texts), len(texts))
        numbers = np.array([zlib.crc32(text.encode()) for text in texts], dtype=np.float32)[:, None]
        vectors = np.sin(numbers % 997 + np.arange(WIDTH, dtype=np.float32))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return [Encoding(vector) for vector in vectors]


def put_toys_in() -> None:
    """Give every scorer of this process toys for models."""
    toys: dict[str, Any] = {"tagger": Nouns(), "infiller": Dots(), "encoder": Checksums()}
    for name, toy in toys.items():
        setattr(MarsScorer, name, toy)


if __name__ == "__main__":
    from mars_score.cli.main import run

    put_toys_in()
    run()
