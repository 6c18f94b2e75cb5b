"""How often the words that were hidden are guessed: the numbers of the card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from transformers import AutoModel

from mars_score.models.tokenizer import quiet

if TYPE_CHECKING:
    from torch import Tensor

    from masked_head.masking import Masker, Rows

SHARE = 0.15
"""Of the words, as BERT was judged."""
SEED = 1
BATCH = 16


class Network(Protocol):
    """The body with some output layer."""

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """(N, L), (n,), (n,) -> (n, V)."""


class EncoderAlone:
    """The encoder as it is: last hidden states times its word embeddings."""

    def __init__(self, location: str) -> None:
        """Load the encoder."""
        with quiet():
            self.body: Any = AutoModel.from_pretrained(location, use_safetensors=True).eval()

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """(N, L), (n,), (n,) -> (n, V)."""
        states = self.body(input_ids=ids).last_hidden_state[rows, columns]
        logits: Tensor = states @ self.body.get_input_embeddings().weight.T
        return logits


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Over hidden words. A word of several pieces counts if every one is right."""

    words: int
    top1: float
    top5: float
    """All pieces are among the five best of their places."""
    words_of_letters: int
    """Those that are not punctuation."""
    top1_of_letters: float
    top5_of_letters: float


def accuracy(network: Network, masker: Masker, rows: Rows) -> Accuracy:
    """Hide 15% of the words of each row, all at once, and let the network guess them."""
    random = np.random.default_rng(SEED)
    first, five, letters = [], [], []
    for start in range(0, len(rows), BATCH):
        masked = masker.hide(rows[start : start + BATCH], SHARE, random)
        if not len(masked.answers):
            continue
        places = torch.from_numpy(masked.hidden).nonzero(as_tuple=True)
        with torch.inference_mode():
            best = network.logits(torch.from_numpy(masked.ids), *places).topk(5, -1).indices.numpy()
        right = best == masked.answers[:, None]
        count = masked.words[-1] + 1
        wrong_first, wrong_five = np.zeros(count, bool), np.zeros(count, bool)
        np.logical_or.at(wrong_first, masked.words, ~right[:, 0])
        np.logical_or.at(wrong_five, masked.words, ~right.any(1))
        word_letters = np.zeros(count, bool)
        np.logical_or.at(word_letters, masked.words, ~masker.marks[masked.answers])
        first.append(~wrong_first)
        five.append(~wrong_five)
        letters.append(word_letters)
    top1, top5, of_letters = np.concatenate(first), np.concatenate(five), np.concatenate(letters)
    return Accuracy(
        len(top1), _share(top1), _share(top5),
        int(of_letters.sum()), _share(top1[of_letters]), _share(top5[of_letters]),
    )  # fmt: skip


def _share(right: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    return round(float(right.mean()), 4)
