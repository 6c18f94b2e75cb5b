"""ROUGE of single texts (Lin, 2004): the F1 score, computed by the package ``rouge-score``.

- **Stemming** by Porter is on: summarization papers run the original script with ``-m``, and the common
  recipes for this package turn it on as well. Words of three letters or fewer are left as they are.
- **Tokenizer**: lower case; runs of the letters a to z and of digits. Punctuation, accented letters and all
  other scripts are dropped. A row where that leaves nothing (an emoji, Greek, for ``rouge2`` a single word)
  scores 0 with the flag ``nothing_comparable``, even if candidate and reference are equal.
- **ROUGE-L** is that of the whole text as one sequence, not ``rougeLsum``.
- **References**: the one with the best F1 counts.

A blank candidate scores 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from mars_score.metrics.base import Input, Value, flagged, score_rows, signature
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

Kind = Literal["rouge1", "rouge2", "rougeL"]
_UNIT = {"rouge1": 1, "rouge2": 2, "rougeL": 1}
"""Words that a text needs to have anything to compare."""


class Rouge:
    """Shared words (``rouge1``), pairs of words (``rouge2``) or the longest common subsequence (``rougeL``)."""

    higher_is_better = True
    inputs: tuple[Input, ...] = ("references",)

    def __init__(self, kind: Kind = "rougeL", *, stem: bool = True) -> None:
        """Choose what is counted, and whether words are stemmed first."""
        self.name: Kind = kind
        self._stem = stem

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        fields = {
            "tok": "a-z0-9",
            "stem": "porter.nltk" if self._stem else "no",
            "f": "1",
            "refs": "best",
        }
        return signature(self.name, fields, library="rouge-score")

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Score each candidate against its best reference."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        scores = self._scorer.score_multi(example.references, example.candidate)
        score = float(scores[self.name].fmeasure)
        return flagged(score, example, comparable=score > 0 or self._comparable(example))

    def _comparable(self, example: Example) -> bool:
        """Whether there is anything to be compared; only asked where the score is 0, as it takes time."""
        return self._has_units(example.candidate) and any(map(self._has_units, example.references))

    def _has_units(self, text: str) -> bool:
        return len(self._tokenizer.tokenize(text)) >= _UNIT[self.name]

    @cached_property
    def _tokenizer(self) -> Any:
        from rouge_score.tokenizers import DefaultTokenizer

        return DefaultTokenizer(use_stemmer=self._stem)

    @cached_property
    def _scorer(self) -> Any:
        from rouge_score.rouge_scorer import RougeScorer

        return RougeScorer([self.name], tokenizer=self._tokenizer)
