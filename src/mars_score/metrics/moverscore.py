"""MoverScore (Zhao et al., EMNLP 2019): the work of moving the candidate's words onto the reference's.

A text is a bag of n-grams. An n-gram's vector is the mean of its words' contextual vectors, weighted by their
idf, and made of length 1; its weight is the sum of their idf. The score is 1 minus the earth mover's distance
of the two bags: 1 is perfect, and as vectors of length 1 are at most 2 apart, scores are in [-1, 1]. Poor texts
are often below 0, so an empty candidate has -1.

What the paper leaves open, and what its authors' code does otherwise:

- Word pieces are joined: a word's vector is the mean of its pieces' (the authors' code keeps the first piece
  and drops the others). Nothing is dropped, the marks of one tokenizer play no part, and a table of words,
  which knows no pieces, can weigh them.
- Punctuation is left out, as in the authors' code: contextual vectors of neighbours have taken it in. A text of
  nothing else keeps it, so that it can still be compared.
- Function words stay by default, as in the authors' machine translation runs: their idf is small. Leaving them
  out is an option, as in the authors' summarization runs.
- The idf is a background table by default, and one for both sides. The authors count in the references and in
  the candidates at hand; then a score depends on the other rows.
- The vectors are those of one layer of the encoder; the authors' first version joins several.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mars_score.encoders.layers import TokenEncoder, TokenEncoding, word_means
from mars_score.errors import ConfigError
from mars_score.fingerprint import metric_signature
from mars_score.metrics.matching import SOLVER, Bag, Prepared, bag, distance, match
from mars_score.progress import Progress, StageProgress, silent_stages
from mars_score.text.frequency import BackgroundIdf, Idf
from mars_score.text.words import FUNCTION_WORDS_VERSION, is_function_word, is_punctuation
from mars_score.types import Example

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mars_score.metrics.base import Input, Value


class MoverScore:
    """MoverScore with a given encoder; `n` is the length of the n-grams in words."""

    name = "moverscore"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("references",)

    def __init__(
        self, encoder: TokenEncoder, encoder_name: str, *, n: int = 1, idf: Idf | None = None,
        function_words: bool = True,
    ) -> None:  # fmt: skip
        """Take an encoder, known in signatures as `encoder_name`; `idf` may be a `CorpusIdf`."""
        if n < 1:
            raise ConfigError(f"n-grams have at least one word, not {n}")
        self.encoder, self.encoder_name, self.n = encoder, encoder_name, n
        self.idf: Idf = idf or BackgroundIdf()
        self.function_words = function_words

    @property
    def signature(self) -> str:
        """Encoder, n-grams, weights, which words count, solver."""
        left_out = "punct" if self.function_words else f"punct+{FUNCTION_WORDS_VERSION}"
        return metric_signature(
            self.name,
            enc=f"{self.encoder_name}.{self.encoder.settings}",
            n=f"{self.n}",
            idf=self.idf.name,
            pieces="mean",
            without=left_out,
            emd=SOLVER,
            refs="best",
        )

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Encode every text once, then move each candidate onto its references."""
        return match(examples, self._prepare, lambda a, b: 1 - distance(a, b), progress, lowest=-1.0)

    def _prepare(self, texts: list[str], progress: Progress) -> list[Prepared[Bag]]:
        encoded = self.encoder.encode(texts, progress)
        return [
            Prepared(self._bag(text, encoding), encoding.tokens.truncated)
            for text, encoding in zip(texts, encoded, strict=True)
        ]

    def _bag(self, text: str, encoding: TokenEncoding) -> Bag | None:
        """The n-grams of a text; one of all its words where it has fewer than n. None without words."""
        words, vectors = word_means(text, encoding)
        kept = self._counting(words)
        if not kept:
            return None
        idf = np.array([self.idf(words[index]) for index in kept])  # (k,)
        # Words are of length 1 before they are averaged: else long vectors would outweigh their idf.
        weighted = _unit(vectors[kept]) * idf[:, None]  # (k, H)
        n = min(self.n, len(kept))
        grams = len(kept) - n + 1
        weights = np.sum([idf[offset : offset + grams] for offset in range(n)], axis=0)  # (grams,)
        sums = np.sum([weighted[offset : offset + grams] for offset in range(n)], axis=0)  # (grams, H)
        return bag(_unit(sums), weights)  # a mean and a sum have the same direction

    def _counting(self, words: list[str]) -> list[int]:
        """Indices of the words that count; of all words where none would be left."""
        kept = [index for index, word in enumerate(words) if not is_punctuation(word)]
        if not self.function_words:
            kept = [index for index in kept if not is_function_word(words[index])] or kept
        return kept or list(range(len(words)))


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, H) -> (n, H) of length 1; a vector of zeros stays one."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)  # (n, 1)
    return vectors / np.where(norms > 0, norms, 1)
