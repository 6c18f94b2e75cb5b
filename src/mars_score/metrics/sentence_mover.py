"""Sentence Mover's Similarity, S+WMS (Clark et al., ACL 2019): words and sentences, moved together.

A text is a bag of its words and its sentences. A word weighs as often as it occurs, a sentence as many words as
it has, so words and sentences hold half of the bag each. The similarity is exp(-distance), the earth mover's
distance under the Euclidean distance of vectors: in [0, 1], and 1 is perfect. Word vectors are several units
long and far apart, so scores of different texts are small numbers; their order is what counts.

- A sentence's vector is the mean of its words' vectors, as in the paper: then words and sentences are in one
  space, and a word may move onto a sentence. That is the default, as it needs one model and is the metric that
  others report. With a sentence encoder, the two kinds of vectors have no directions in common: they are laid
  at right angles, and words made of length 1 as sentences are, so that both halves count the same.
- Words are lower-cased. Punctuation and function words are left out, as in the authors' code (its list is
  another one), numbers stay. Where nothing else has a vector, all words that have one count.
- A word without a vector is looked up without its contraction ("Anna's"), then by its parts ("half-asleep"). If
  that fails, it is passed over; the authors' code gives them a vector of zeros, which is nearer to
  every word than words are to each other.
- Sentences are found by the rule of :func:`mars_score.text.words.sentences`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mars_score.fingerprint import metric_signature
from mars_score.metrics.matching import SOLVER, Bag, Prepared, bag, distance, match
from mars_score.progress import Progress, StageProgress, silent_stages
from mars_score.text.words import (
    FUNCTION_WORDS_VERSION,
    SENTENCES_VERSION,
    is_function_word,
    is_punctuation,
    sentences,
    words,
)
from mars_score.types import Example

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mars_score.encoders.base import Encoder
    from mars_score.encoders.word_vectors import WordVectorEncoder
    from mars_score.metrics.base import Input, Value

_CONTRACTION = re.compile("(?:'(?:s|re|ve|ll|d|m)|n't)$")
Sentence = tuple[str, list[str]]
"""The text of a sentence, and its words that count."""


class SentenceMover:
    """S+WMS with given word vectors; sentence vectors are their means, or those of an encoder."""

    name = "sentence_mover"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("references",)

    def __init__(
        self, vectors: WordVectorEncoder, vectors_name: str, *, encoder: Encoder | None = None,
        encoder_name: str = "mean",
    ) -> None:  # fmt: skip
        """Take word vectors and, if wanted, a sentence encoder; the names are for the signature."""
        self.vectors, self.vectors_name = vectors, vectors_name
        self.encoder, self.encoder_name = encoder, encoder_name

    @property
    def signature(self) -> str:
        """Vectors of words and sentences, which words count, where sentences end, solver."""
        return metric_signature(
            self.name,
            words=self.vectors_name,
            sentences=self.encoder_name,
            without=f"punct+{FUNCTION_WORDS_VERSION}",
            split=SENTENCES_VERSION,
            emd=SOLVER,
            refs="best",
        )

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Make the bag of every text once, then move each candidate onto its references."""
        return match(examples, self._prepare, lambda a, b: math.exp(-distance(a, b)), progress)

    def _prepare(self, texts: list[str], progress: Progress) -> list[Prepared[Bag]]:
        split = [self._sentences(text) for text in texts]
        if self.encoder is None:
            progress(len(texts), len(texts))
            return [Prepared(self._bag(sentences) if sentences else None) for sentences in split]
        wanted = list(dict.fromkeys(text for sentences in split for text, _ in sentences))
        encoded = dict(zip(wanted, self.encoder.encode(wanted), strict=True))
        progress(len(texts), len(texts))
        return [
            Prepared(
                self._bag(sentences, np.stack([encoded[text].vector for text, _ in sentences]))
                if sentences
                else None,
                any(encoded[text].truncated for text, _ in sentences),
            )
            for sentences in split
        ]

    def _sentences(self, text: str) -> list[Sentence]:
        """The sentences that have words that count."""
        in_vocabulary = [
            (sentence, [part for word in words(sentence) for part in self._in_vocabulary(word.text)])
            for sentence in sentences(text)
        ]
        with_content_words = [
            (sentence, [word for word in sentence_words if _is_content_word(word)])
            for sentence, sentence_words in in_vocabulary
        ]
        chosen = (
            with_content_words
            if any(sentence_words for _, sentence_words in with_content_words)
            else in_vocabulary
        )
        return [(sentence, sentence_words) for sentence, sentence_words in chosen if sentence_words]

    def _in_vocabulary(self, word: str) -> list[str]:
        """A word as the table of vectors has it."""
        whole = word.lower().replace("\u2019", "'")
        for parts in ([whole], [_CONTRACTION.sub("", whole)], whole.split("-")):
            in_vocabulary = [part for part in parts if part in self.vectors.index]
            if in_vocabulary:
                return in_vocabulary
        return []

    def _bag(self, sentences: list[Sentence], encoded: NDArray[np.float32] | None = None) -> Bag:
        """Distinct words by their counts, sentences by their numbers of words."""
        counts = Counter(word for _, sentence_words in sentences for word in sentence_words)
        of_words = self._vectors(list(counts))  # (n, H)
        weights = [*counts.values(), *(len(sentence_words) for _, sentence_words in sentences)]
        if encoded is None:
            of_sentences = np.stack(
                [self._vectors(sentence_words).mean(0) for _, sentence_words in sentences]
            )  # (m, H)
            return bag(np.concatenate([of_words, of_sentences]), np.array(weights, np.float64))
        norms = np.linalg.norm(of_words, axis=1, keepdims=True)  # (n, 1)
        of_words = of_words / np.where(norms > 0, norms, 1)
        joined = np.zeros((len(weights), of_words.shape[1] + encoded.shape[1]))  # (n + m, H + E)
        joined[: len(of_words), : of_words.shape[1]] = of_words
        joined[len(of_words) :, of_words.shape[1] :] = encoded
        return bag(joined, np.array(weights, np.float64))

    def _vectors(self, words: list[str]) -> NDArray[np.float64]:
        rows = [self.vectors.index[word] for word in words]
        return np.asarray(self.vectors.vectors[rows], dtype=np.float64)  # (n, H)


def _is_content_word(word: str) -> bool:
    return not (is_punctuation(word) or is_function_word(word))
