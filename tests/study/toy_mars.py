"""MARS with toys for models: whatever lies between input and output runs as it always does."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from mars_score.encoders.base import Encoding
from mars_score.mars.scorer import MarsScorer
from mars_score.progress import Progress, silent
from mars_score.types import AugmentedReference, Infilled, InfillingRequest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mars_score.masking.tagging import Tag


class Nouns:
    """A tagger to whom every word is a noun."""

    name = "nouns"
    language = "en"

    def tags(self, words: Sequence[str]) -> list[Tag]:
        return ["noun" for _ in words]


class Fill:
    """An infiller that writes one word, and counts its requests."""

    def __init__(self, word: str = " rabbit") -> None:
        self.word, self.requests = word, 0

    def fill(self, requests: Sequence[InfillingRequest], progress: Progress = silent) -> list[Infilled]:
        self.requests += len(requests)
        return [
            Infilled(
                tuple(
                    AugmentedReference(template, (self.word,) * template.blanks)
                    for template in request.templates
                )
            )
            for request in requests
        ]


class Letters:
    """An encoder that counts the letters of the alphabet."""

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        counts = [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        vectors = np.array(counts, dtype=np.float32)
        return [Encoding(vector / max(1.0, float(np.linalg.norm(vector)))) for vector in vectors]


class ToyParts:
    """Parts that are toys."""

    def __init__(self) -> None:
        self.guided_fill, self.naive_fill = Fill(), Fill(" badger")
        self.lock, self.store = threading.RLock(), None

    def check(self, config: object) -> None:
        pass

    def name(self, name: str, roles: object) -> str:
        return f"{name}@0123"

    def infilling_name(self, config: Any) -> str:
        return f"{config.infiller}@0123"

    def tagger_name(self, name: str) -> str:
        return "nouns"

    def tagger(self, name: str) -> Nouns:
        return Nouns()

    def infiller(self, config: Any) -> Fill:
        return self.guided_fill if config.infiller == "guided" else self.naive_fill

    def encoder(self, name: str, dtype: str) -> Letters:
        return Letters()

    def scoring_encoder(self, config: Any) -> Letters:
        return Letters()

    def reader_name(self, config: Any) -> str:
        return "letters" if config.reads else ""


def toy_scorer(preset: str = "paper-formula", **options: Any) -> MarsScorer:
    """The real scorer with toys for models; they read no text closely, so it has the paper's formula."""
    scorer = MarsScorer(preset, **options)
    scorer.parts = ToyParts()  # type: ignore[assignment]
    return scorer
