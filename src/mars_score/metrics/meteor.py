"""METEOR (Lavie and Agarwal, 2007), computed by NLTK with the synonyms of a real WordNet.

Words are matched if they are equal, have one Porter stem, or are synonyms. The score is a mean of precision
and recall in which recall counts nine times as much, lowered by up to one half if the matches are out of order.

- **A perfect match is slightly below 1**, by METEOR's definition. It is one unbroken chunk of m words, and
  one chunk still costs 0.5 (1/m)^3: 0.0005 for ten words, 0.004 for five, one half for a single word.
- **Tokenizer** ``nltk-word``: that of NLTK's ``word_tokenize``, sentence by sentence, in lower case. Sentences
  end at ``.``, ``!`` or ``?`` and white space; ``word_tokenize`` finds them by a model that would have to be
  downloaded. The two differ at abbreviations only: here the point of "Mr." is a token of its own.
- **References**: the best one counts, as NLTK does it.
- **Matching** is NLTK's: greedy from the end, so not always with the fewest chunks. Numbers are not those of
  the Java program METEOR 1.5, which has other weights and paraphrases.

A blank candidate scores 0, and so does one without a match.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from mars_score.metrics.by_row import flagged, score_rows, signature
from mars_score.metrics.wordnet import WordNet
from mars_score.progress import StageProgress, silent_stages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mars_score.metrics.base import Input, Value
    from mars_score.types import Example

_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
_SENTENCE_END = re.compile(r"""(?:(?<=[.!?])|(?<=[.!?]["'\u201d\u2019)\]]))\s+""")


class Meteor:
    """Matches of words, stems and synonyms, and their order: ``meteor``."""

    name = "meteor"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("references",)

    def __init__(self, wordnet: Path, wordnet_name: str | None = None) -> None:
        """Take the folder that holds ``corpora/wordnet``, and how signatures call it (``wordnet@`` its hash)."""
        self._wordnet, self._wordnet_name = WordNet(wordnet), wordnet_name

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        fields = {
            "case": "lower",
            "tok": "nltk-word",
            "stem": "porter",
            "syn": self._wordnet_name or f"wordnet@{_hash(self._wordnet.folder)}",
            "alpha": f"{_ALPHA:g}",
            "beta": f"{_BETA:g}",
            "gamma": f"{_GAMMA:g}",
            "refs": "best",
        }
        return signature(self.name, fields, library="nltk")

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Score each candidate against its best reference."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        from nltk.translate.meteor_score import meteor_score  # noqa: PLC0415  # only when a text is scored

        score = meteor_score(
            [tokens(reference) for reference in example.references],
            tokens(example.candidate),
            wordnet=self._wordnet,
            alpha=_ALPHA,
            beta=_BETA,
            gamma=_GAMMA,
        )
        return flagged(float(score), example)


@lru_cache(maxsize=1 << 12)
def tokens(text: str) -> tuple[str, ...]:
    """Split a text into words and punctuation; kept for a while, as references come again."""
    from nltk.tokenize import NLTKWordTokenizer  # noqa: PLC0415

    tokenizer = NLTKWordTokenizer()
    return tuple(word for sentence in _SENTENCE_END.split(text) for word in tokenizer.tokenize(sentence))


def _hash(folder: Path) -> str:
    from mars_score.models.resolve import folder_hash  # noqa: PLC0415  # reads 36 MB, so only when asked

    return folder_hash(folder, "wordnet")
