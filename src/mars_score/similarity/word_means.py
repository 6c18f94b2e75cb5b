"""Words from word pieces: a word's vector is the mean of the vectors of the tokens that it was split into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mars_score.masking.words import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mars_score.similarity.tokens import TokenEncoding


def word_means(text: str, encoding: TokenEncoding) -> tuple[list[str], NDArray[np.float64]]:
    """The words of a text that have a token, and their vectors (n, H); what was cut off has none.

    A token that reaches over several words, as some vocabularies have them, counts for each of them.
    """
    found = words(text)
    at: list[int | None] = [None] * len(text)  # the word that a character is in
    for index, word in enumerate(found):
        at[word.start : word.end] = [index] * (word.end - word.start)
    pieces: dict[int, list[int]] = {}
    for token, (start, end) in enumerate(encoding.tokens.spans):
        for index in {index for index in at[start:end] if index is not None}:
            pieces.setdefault(index, []).append(token)
    kept = sorted(pieces)
    exact = encoding.vectors.astype(np.float64)  # (tokens, H)
    means = [exact[pieces[index]].mean(0) for index in kept]
    return [found[index].text for index in kept], np.stack(means) if means else exact[:0]
