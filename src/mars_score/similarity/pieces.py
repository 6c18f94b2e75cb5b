"""How much the pieces of a text count when texts are compared piece by piece: rare ones more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

COMMONEST = 8.0
"""On the scale of `wordfreq` (log10 of occurrences in a thousand million words) no word is commoner."""
CONTINUED = 3.0
"""A piece that goes on with a word: such words are rare."""
LEAST = 0.01
"""Punctuation counts hardly, but a text of nothing else can still be compared."""
VERSION = "zipf1"
"""For signatures: raised whenever the rule changes."""


def rarity(word: str) -> float:
    """0 for the commonest words of English, 8 for a word that nobody uses."""
    from wordfreq import zipf_frequency  # noqa: PLC0415  (loads a table)

    return max(0.0, COMMONEST - float(zipf_frequency(word, "en")))


class PieceWeights:
    """The weights of a tokenizer's pieces, looked up when they are first needed."""

    def __init__(self, tokenizer: Any) -> None:
        """Take a tokenizer whose continued pieces begin with ##."""
        self.tokenizer = tokenizer
        self._known: dict[int, float] = {}

    def __call__(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        """(n,) weights that sum to 1."""
        raw = np.array([self._weight(piece) for piece in pieces], np.float64)
        weights: NDArray[np.float32] = (raw / raw.sum()).astype(np.float32)
        return weights

    def _weight(self, piece: int) -> float:
        if piece not in self._known:
            text = self.tokenizer.convert_ids_to_tokens(piece)
            own = rarity(text) / 2 if text[0].isalnum() else 0.0
            self._known[piece] = LEAST + (CONTINUED if text.startswith("##") else own)
        return self._known[piece]
