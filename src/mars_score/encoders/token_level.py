"""A sentence encoder that also gives a vector, a weight and a fluency for each word piece, from the same pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F

from mars_score.encoders.base import Encoder, Encoding, TokenReading
from mars_score.encoders.fluency import FluencyHead, PieceWeights, has_head, refuse_other
from mars_score.encoders.network import Network
from mars_score.encoders.sentence import SentenceEncoder
from mars_score.progress import Progress, silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PieceReading:
    """What the close reader sees in one text, piece by piece."""

    spans: tuple[tuple[int, int], ...]
    """Where each of n pieces begins and ends in the text."""
    vectors: NDArray[np.float32]
    """(n, H), each of length 1."""
    weights: NDArray[np.float32]
    """(n,), they sum to 1."""
    in_place: NDArray[np.float32]
    """(n,) log of the probability that a piece is in its place."""


class TokenLevelEncoder(SentenceEncoder):
    """A sentence encoder as a close reader; only of the default one, which a head was trained on, with fluency."""

    def __init__(
        self, location: str, *, device: str = "cpu", dtype: str = "float32", fluency: bool = True
    ) -> None:
        """Load the encoder and the head that ships with the package; without it, if `fluency` is not asked for."""
        if fluency:
            refuse_other(Path(location))
        self.head = FluencyHead(torch.device(device)) if has_head(Path(location)) else None
        super().__init__(location, device=device, dtype=dtype)
        layers = int(self.model.config.num_hidden_layers)
        self.compared = layers // 2 if self.head else layers
        """The layer whose states are compared. Of the encoder with a head it is the middle one, as lower ones see
        spelling and higher ones whole sentences; of any other the last, as in the middle of deep ones all states are
        alike."""
        unknown = self.tokenizer.unk_token_id  # stands for something in the text, so it is no added token
        added = [token for token in self.tokenizer.all_special_ids if token != unknown]
        self.added = torch.tensor(added, device=self.device)
        self.piece_weights = PieceWeights(self.tokenizer, english=self.head is not None)
        prompt_ids = self.tokenizer(self.prompt.rstrip()).input_ids if self.prompt else []
        self.skipped = sum(token != self.tokenizer.eos_token_id for token in prompt_ids)
        """Tokens of the prompt, which are no part of any text."""

    def _network(self) -> Network:
        return Network(self.model, beside=[self.head.product] if self.head else [])

    def _read(self, rows: list[list[int]]) -> list[Encoding]:
        states = self.network.read(rows, all_layers=True)
        ids = torch.tensor([token for row in rows for token in row], device=self.device)  # (t,)
        with torch.inference_mode():
            layers = [layer.float() for layer in states.layers]  # each (T, H)
            in_place = self._in_place(layers)
            words = F.normalize(layers[self.compared], dim=-1).cpu().numpy()  # (T, H)
            is_piece = ~torch.isin(ids, self.added).cpu().numpy()  # (t,)
        vectors = self._pooled(layers[-1], states.starts, rows)
        encodings = []
        for row, start, vector in zip(rows, states.starts, vectors, strict=True):
            part = slice(start + self.skipped, start + len(row))
            pieces = row[self.skipped :]
            encodings.append(
                Encoding(vector, close=self._close(pieces, is_piece[part], in_place[part], words[part]))
            )
        return encodings

    def read_pieces(self, text: str) -> PieceReading:
        """Read one text again, with the place of every piece in it: for an explanation, not for a score."""
        encoding = self.tokenizer(
            text, truncation=True, max_length=self.max_length, return_offsets_mapping=True, verbose=False
        )
        row, spans = encoding.input_ids, encoding.offset_mapping
        kept = [index for index, (start, end) in enumerate(spans) if end > start]
        if not kept:
            return PieceReading(
                (), np.zeros((0, 1), np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32)
            )
        states = self.network.read([row], all_layers=True)
        with torch.inference_mode():
            layers = [layer.float() for layer in states.layers]  # each (T, H)
            in_place = self._in_place(layers)
            words = F.normalize(layers[self.compared], dim=-1).cpu().numpy()  # (T, H)
        weights = self.piece_weights([row[index] for index in kept])
        return PieceReading(tuple(spans[index] for index in kept), words[kept], weights, in_place[kept])

    def _in_place(self, layers: Sequence[torch.Tensor]) -> NDArray[np.float32]:
        """(T,) log of the probability that each piece is in its place; 0 without a head, which no score reads."""
        if self.head is None:
            return np.zeros(len(layers[0]), np.float32)
        fluency: NDArray[np.float32] = self.head.in_place(torch.cat(list(layers[1:]), -1)).cpu().numpy()
        return fluency

    def _close(
        self,
        row: list[int],
        is_piece: NDArray[np.bool_],
        in_place: NDArray[np.float32],
        words: NDArray[np.float32],
    ) -> TokenReading | None:
        """What is kept of one text: (L,), (L,), (L, H)."""
        if not is_piece.any():
            return None
        weights = self.piece_weights([piece for piece, kept in zip(row, is_piece, strict=True) if kept])
        return TokenReading(words[is_piece], weights, float(in_place[is_piece].mean(dtype=np.float64)))


class PairedEncoder:
    """Any encoder for whole texts, beside the close reader for their pieces."""

    def __init__(self, encoder: Encoder, reader: TokenLevelEncoder) -> None:
        """Take both."""
        self.encoder, self.reader = encoder, reader

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode each text with both, in order."""
        whole = self.encoder.encode(texts)
        pieces = self.reader.encode(texts, progress)
        return [
            replace(encoding, close=reading.close) for encoding, reading in zip(whole, pieces, strict=True)
        ]
