"""Words from word pieces, with pieces placed by hand."""

from __future__ import annotations

import numpy as np

from mars_score.encoders.layers import TokenEncoding, Tokens, word_means


def encoding(spans: list[tuple[int, int]], vectors: list[list[float]]) -> TokenEncoding:
    size = len(spans)
    tokens = Tokens((1,) * size, ("?",) * size, tuple(spans), (False,) * size, truncated=False)
    return TokenEncoding(tokens, np.array(vectors, np.float32))


def test_a_word_is_the_mean_of_its_pieces() -> None:
    # "lantern" in two pieces, "glow" in one, "." in one; the first token is the tokenizer's own.
    found = encoding([(0, 0), (0, 4), (4, 7), (8, 12), (12, 13)], [[9, 9], [1, 0], [0, 1], [2, 2], [0, 4]])
    words, vectors = word_means("lantern glow.", found)
    assert words == ["lantern", "glow", "."]
    assert vectors.tolist() == [[0.5, 0.5], [2, 2], [0, 4]]


def test_a_token_over_two_words_counts_for_both_and_a_cut_word_for_none() -> None:
    words, vectors = word_means("so what ever", encoding([(0, 7)], [[3, 1]]))
    assert words == ["so", "what"]
    assert vectors.tolist() == [[3, 1], [3, 1]]


def test_no_words() -> None:
    words, vectors = word_means("  ", encoding([(0, 0)], [[1, 1]]))
    assert words == []
    assert vectors.shape == (0, 2)
