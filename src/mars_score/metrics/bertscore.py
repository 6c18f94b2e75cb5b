"""BERTScore (Zhang et al., ICLR 2020): each token is matched with the most similar one of the other text.

The definition is that of the `bert-score` library, whose numbers this gives on the same weights:

- every token may be matched, [CLS] and [SEP] too, but those two have no weight of their own;
- precision is the weighted mean over the candidate's tokens, recall over the reference's;
- of several references the best one counts.

It differs where the library's number is an accident:

- A token may be unlike every token of the other text: its best cosine is below 0. The library then takes 0
  if the other text happens to be padded in its batch. Here it is the cosine; so it is in the library where
  it scores one pair at a time (`batch_size=1`).
- Where precision or recall is not above 0, there is no harmonic mean, and F1 is 0.
- Where no token of a text has a weight, which an idf table can bring about, the library divides by 0. Here
  it is a flag.

No baseline is subtracted: precision and recall are in [-1, 1], F1 is in [0, 1], and 1 is perfect.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from mars_score.fingerprint import metric_signature
from mars_score.metrics.matching import Prepared, match
from mars_score.progress import Progress, StageProgress, silent_stages
from mars_score.types import Example

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mars_score.encoders.layers import TokenEncoder, Tokens
    from mars_score.metrics.base import Input, Value

Measure = Literal["f1", "precision", "recall"]


class TokenIdf:
    """How much a token tells: the library's log((M + 1) / (df + 1)) over M texts."""

    def __init__(self, documents: Iterable[Tokens]) -> None:
        """Count the texts that have each token; a text that is given twice counts twice."""
        vocabularies = [set(document.ids) for document in documents]
        self._size = len(vocabularies)
        self._count = Counter(token for vocabulary in vocabularies for token in vocabulary)

    @property
    def name(self) -> str:
        """The corpus's size and a digest of its counts."""
        counts = repr((self._size, sorted(self._count.items()))).encode()
        return f"corpus-{self._size}-{hashlib.sha256(counts).hexdigest()[:8]}"

    def __call__(self, token: int) -> float:
        """Return the weight of a token; 0 for one that every text has."""
        return math.log((self._size + 1) / (self._count[token] + 1))


@dataclass(frozen=True, slots=True)
class Weighted:
    """The tokens of a text."""

    vectors: NDArray[np.float64]
    """(n, H), of length 1."""
    weights: NDArray[np.float64]
    """(n,), with the sum 1."""


class BertScore:
    """BERTScore with a given encoder; by default every token has the same weight."""

    name = "bertscore"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("references",)

    def __init__(
        self, encoder: TokenEncoder, encoder_name: str, *, measure: Measure = "f1",
        idf: Iterable[str] | None = None,
    ) -> None:  # fmt: skip
        """`idf` are the texts that token weights are counted in; the library takes all references.

        Off by default: weights from the references at hand let a score depend on the other rows.
        """
        self.encoder, self.encoder_name, self.measure = encoder, encoder_name, measure
        self.idf = None if idf is None else TokenIdf(encoder.tokenize(list(idf)))

    @property
    def signature(self) -> str:
        """Encoder, layer, what is measured, weights."""
        weights = self.idf.name if self.idf else "none"
        return metric_signature(
            self.name,
            enc=f"{self.encoder_name}.{self.encoder.settings}",
            measure=self.measure,
            idf=weights,
            baseline="none",
            refs="best",
        )

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Encode every text once, then match each candidate with its references."""
        return match(examples, self._prepare, self._compare, progress)

    def _prepare(self, texts: list[str], progress: Progress) -> list[Prepared[Weighted]]:
        return [
            Prepared(self._weighted(encoded.tokens, encoded.vectors), encoded.tokens.truncated)
            for encoded in self.encoder.encode(texts, progress)
        ]

    def _weighted(self, tokens: Tokens, vectors: NDArray[np.float32]) -> Weighted | None:
        """Unit vectors and weights; None for a text without tokens of its own, or without any weight."""
        weights = np.array([self._weight(token) for token in tokens.ids])
        if all(tokens.special) or not weights.sum() > 0:
            return None
        exact = vectors.astype(np.float64)  # (n, H)
        norms = np.linalg.norm(exact, axis=1, keepdims=True)  # (n, 1)
        return Weighted(exact / np.where(norms > 0, norms, 1), weights / weights.sum())

    def _weight(self, token: int) -> float:
        return self.idf(token) if self.idf else float(token not in self.encoder.ends)

    def _compare(self, candidate: Weighted, reference: Weighted) -> float:
        cosines = np.clip(candidate.vectors @ reference.vectors.T, -1, 1)  # (n, m)
        # Rounding may lift a mean of ones above 1 by the last bit.
        precision = min(1.0, float(candidate.weights @ cosines.max(1)))
        recall = min(1.0, float(reference.weights @ cosines.max(0)))
        if self.measure != "f1":
            return precision if self.measure == "precision" else recall
        defined = precision > 0 and recall > 0
        return 2 * precision * recall / (precision + recall) if defined else 0.0
