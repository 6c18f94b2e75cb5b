"""BLEU of single texts (Papineni et al., 2002), computed by sacrebleu and divided by 100.

- **Smoothing** ``exp``: the first n-gram order without a match counts as half a match, the next as a quarter,
  and so on (method 3 of Chen and Cherry, 2014, from NIST's mteval). Without smoothing, a text that shares no
  four words in a row with its reference scores 0, which is most of open-ended text. This way is sacrebleu's
  own for single sentences, so that numbers agree with what others report, and it has no constant to choose.
  It has no effect on BLEU-1.
- **Effective order**: a text of two words has no n-grams of 3 and 4, so these orders do not count. Without
  this, no text of under four words could reach 1.
- **Tokenizer** ``13a``: that of WMT; punctuation is split off and case is kept.
- **References**: all at once. An n-gram counts as often as in the reference that has it most often; the
  brevity penalty takes the reference of the nearest length.

A blank candidate scores 0. So does a text without any word of a reference: smoothing begins at order 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from mars_score.metrics.base import Input, Value, flagged, score_rows, signature
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

Smoothing = Literal["exp", "floor", "add-k", "none"]


class Bleu:
    """BLEU up to n-grams of one order: ``bleu1`` or ``bleu4``."""

    higher_is_better = True
    inputs: tuple[Input, ...] = ("references",)

    def __init__(
        self,
        order: Literal[1, 4] = 4,
        *,
        smoothing: Smoothing = "exp",
        tokenizer: str = "13a",
        lowercase: bool = False,
    ) -> None:
        """Take the longest n-gram, and names of sacrebleu for smoothing and tokenizer."""
        self.name = f"bleu{order}"
        self._order, self._smoothing, self._tokenizer, self._lowercase = (
            order,
            smoothing,
            tokenizer,
            lowercase,
        )

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        fields = {
            "case": "lower" if self._lowercase else "mixed",
            "tok": self._tokenizer,
            "smooth": self._smoothing,
            "eff": "yes",
            "refs": "pooled",
        }
        return signature(self.name, fields, library="sacrebleu")

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Score each candidate against all of its references."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        result = self._bleu.sentence_score(example.candidate, list(example.references))
        # exp(log(100)) is a little over 100, so that a perfect match would be better than perfect.
        score = min(float(result.score) / 100, 1.0)
        return flagged(score, example, comparable=min(result.sys_len, result.ref_len) > 0)

    @cached_property
    def _bleu(self) -> Any:
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(
            lowercase=self._lowercase,
            tokenize=self._tokenizer,
            smooth_method=self._smoothing,
            max_ngram_order=self._order,
            effective_order=True,
        )
