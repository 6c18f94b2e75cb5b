"""chrF2 of single texts (Popović, 2015), computed by sacrebleu and divided by 100.

Character n-grams of 1 to 6 without white space, case kept, recall weighted twice as much as precision: the
defaults of sacrebleu. Orders that a short text does not have do not count. Of several references, the best
one counts. There is no tokenizer, so that any script can be compared. A blank candidate scores 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from mars_score.metrics.base import Input, Value, flagged, score_rows, signature
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

_CHARACTERS, _WORDS, _BETA = 6, 0, 2


class Chrf:
    """The F-score of character n-grams: ``chrf``."""

    name = "chrf"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("references",)

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        fields = {
            "case": "mixed",
            "chars": f"{_CHARACTERS}",
            "words": f"{_WORDS}",
            "beta": f"{_BETA}",
            "space": "no",
            "eff": "yes",
            "refs": "best",
        }
        return signature(self.name, fields, library="sacrebleu")

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Score each candidate against its best reference."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        result = self._chrf.sentence_score(example.candidate, list(example.references))
        return flagged(float(result.score) / 100, example)

    @cached_property
    def _chrf(self) -> Any:
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(char_order=_CHARACTERS, word_order=_WORDS, beta=_BETA)
