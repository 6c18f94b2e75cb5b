"""Rows of word pieces with whole words masked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Rows = Any
"""(N, L) array of piece ids, without [CLS] and [SEP]."""


@dataclass(frozen=True, slots=True)
class Masked:
    """Rows of which some words are hidden."""

    ids: NDArray[np.int64]
    """(N, L + 2) what the network reads."""
    hidden: NDArray[np.bool_]
    """(N, L + 2) where a piece is hidden."""
    answers: NDArray[np.int64]
    """(n,) the hidden pieces, row by row."""
    words: NDArray[np.int64]
    """(n,) the number of the word that each hidden piece belongs to, from 0."""


class Masker:
    """Hides words for one tokenizer."""

    def __init__(self, tokenizer: Any) -> None:
        """Look up which pieces go on with a word, and which are made of marks alone."""
        pieces = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
        self.goes_on = np.array([piece.startswith("##") for piece in pieces])
        self.marks = np.array([not any(map(str.isalnum, piece)) for piece in pieces])
        self.tokenizer = tokenizer

    def rows(self, paragraphs: Sequence[str], length: int) -> Rows:
        """Running text in rows of one length; what is left at the end is dropped."""
        pieces = self.tokenizer(list(paragraphs), add_special_tokens=False, verbose=False).input_ids
        stream = np.array([piece for paragraph in pieces for piece in paragraph])
        return stream[: len(stream) // length * length].reshape(-1, length)

    def hide(self, rows: Rows, share: float, random: np.random.Generator) -> Masked:
        """Hide about this share of the words, and all pieces of each."""
        begins = ~self.goes_on[rows]
        begins[:, 0] = True
        number = begins.cumsum().reshape(rows.shape) - 1  # words are counted through all rows
        hidden = (random.random(number[-1, -1] + 1) < share)[number]
        _, words = np.unique(number[hidden], return_inverse=True)
        tokenizer = self.tokenizer
        ids = np.where(hidden, tokenizer.mask_token_id, rows)
        ends = (
            np.full((len(rows), 1), tokenizer.cls_token_id),
            np.full((len(rows), 1), tokenizer.sep_token_id),
        )
        return Masked(
            np.concatenate([ends[0], ids, ends[1]], 1), np.pad(hidden, ((0, 0), (1, 1))), rows[hidden], words
        )
