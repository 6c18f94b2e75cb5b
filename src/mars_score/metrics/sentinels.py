"""Metrics that know nothing of quality. What they explain in a study, no metric has earned.

- ``candidate_length``: words between white space, a count and not a share. Higher counts as better, by
  convention: raters often like longer texts.
- ``random``: a number in [0, 1) that follows from the texts and a seed alone, so that it does not change
  between runs, with the order of rows or with their ids.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from mars_score.metrics.by_row import flagged, score_rows, signature
from mars_score.progress import StageProgress, silent_stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.metrics.base import Input, Value
    from mars_score.types import Example


class CandidateLength:
    """The number of words of the candidate: ``candidate_length``."""

    name = "candidate_length"
    higher_is_better = True
    inputs: tuple[Input, ...] = ()

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        return signature(self.name, {"tok": "whitespace"})

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Count the words of each candidate."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        return flagged(float(len(example.candidate.split())), example)


class Random:
    """A hash of candidate, references and context as a number: ``random``."""

    name = "random"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("references", "context")

    def __init__(self, seed: int = 0) -> None:
        """Take a seed; another seed is another metric."""
        self._seed = seed

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        return signature(self.name, {"hash": "sha256", "seed": f"{self._seed}"})

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Hash each example."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        # As for every metric, neither the order of the references nor a copy of one matters.
        references = sorted(set(example.references))
        texts = json.dumps([self._seed, example.candidate, references, example.context])
        first = int.from_bytes(hashlib.sha256(texts.encode()).digest()[:8], "big")
        return flagged((first >> 11) / (1 << 53), example)  # the 53 bits that a float holds exactly
