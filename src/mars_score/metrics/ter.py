"""The translation edit rate (Snover et al., 2006), computed by sacrebleu and divided by 100.

How many words must be inserted, deleted, replaced or moved to make the candidate a reference, in parts of the
reference's length. **Lower is better**: 0 is a perfect match, and a long candidate can exceed 1.

- **Words** are those between spaces, in lower case, with their punctuation: the defaults of Tercom and of
  sacrebleu, as in WMT's metric tasks.
- **References**: the fewest edits over all references, divided by the mean length of the references.
- A blank candidate scores 1: every word is missing. That is better than a long wrong one.

The search for moves is slow: a pair of 50 words takes some 200 times as long as one of 12 words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from mars_score.metrics.base import Input, Value, flagged, score_rows, signature
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example


class Ter:
    """Edits for each word of the reference: ``ter``."""

    name = "ter"
    higher_is_better = False
    inputs: tuple[Input, ...] = ("references",)

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        fields = {"case": "lower", "tok": "tercom", "norm": "no", "punct": "yes", "refs": "fewest/mean"}
        return signature(self.name, fields, library="sacrebleu")

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Count the edits of each candidate."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        result = self._ter.sentence_score(example.candidate, list(example.references))
        return flagged(float(result.score) / 100, example)

    @cached_property
    def _ter(self) -> Any:
        from sacrebleu.metrics.ter import TER

        return TER(normalized=False, no_punct=False, asian_support=False, case_sensitive=False)
