"""A sentence encoder that also gives a vector, a weight and a fluency for each word piece, from the same pass."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F

from mars_score.encoders.base import Encoder, Encoding, TokenReading
from mars_score.encoders.network import Network
from mars_score.encoders.sentence import SentenceEncoder
from mars_score.errors import ModelError
from mars_score.models.manifest import sha256_of, sha256_once
from mars_score.progress import Progress, silent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from torch import Tensor


# How much the pieces of a text count when texts are compared piece by piece: rare ones more.

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
    from wordfreq import zipf_frequency

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


# How well the words of a text stand in their places, read off the states of the default sentence encoder.

FOLDER = Path(__file__).with_name("fluency_head")
FILE = FOLDER / "head.safetensors"


def refuse_other(folder: Path) -> None:
    """Refuse a folder that does not hold the very encoder that the head was trained on."""
    weights = folder / "model.safetensors"
    if not (FILE.is_file() and weights.is_file() and sha256_once(weights) == _recorded()["body_sha256"]):
        raise ModelError(
            f"{folder}: no fluency head was trained on this encoder\n"
            "  remedy: leave reader=minilm-l6, whatever the encoder, or use preset paper-formula"
        )


@cache
def _recorded() -> dict[str, str]:
    """What the head's file says of itself."""
    from safetensors import safe_open

    with safe_open(FILE, "pt") as file:
        recorded: dict[str, str] = file.metadata()
    return recorded


def fluency_hash() -> str:
    """8 hex digits that change with the head, for signatures."""
    return sha256_of(FILE)[:8]


class FluencyHead:
    """States of all layers in, one number a word piece out."""

    def __init__(self, device: torch.device, tensors: Mapping[str, Tensor] | None = None) -> None:
        """Load what ships with the package; `tensors` take its place."""
        from safetensors.torch import load_file

        self.own = {name: each.float().to(device) for name, each in (tensors or load_file(FILE)).items()}

    @property
    def product(self) -> tuple[Tensor, Tensor]:
        """The one product of matrices: weight (width, layers H) and bias (width,)."""
        return self.own["dense.weight"], self.own["dense.bias"]

    def in_place(self, states: Tensor) -> Tensor:
        """(..., layers H) -> (...): log of the probability that a piece is in its place."""
        import torch.nn.functional as F

        own = self.own
        states = F.layer_norm(states, states.shape[-1:], own["norm.weight"], own["norm.bias"])
        hidden = F.gelu(F.linear(states, *self.product))  # (..., width)
        # A product with a single column would round by where in the batch a text stands.
        logits = (hidden * own["out.weight"][0]).sum(-1) + own["out.bias"]  # (...)
        return F.logsigmoid(-logits)


# A sentence encoder that also says what it saw on the way: the pieces of a text, and whether they are in
# place.


class TokenLevelEncoder(SentenceEncoder):
    """The default sentence encoder, which the fluency head was trained on, as a close reader."""

    def __init__(self, location: str, *, device: str = "cpu", dtype: str = "float32") -> None:
        """Load the encoder and the head that ships with the package."""
        refuse_other(Path(location))
        self.head = FluencyHead(torch.device(device))
        super().__init__(location, device=device, dtype=dtype)
        self.middle = int(self.model.config.num_hidden_layers) // 2
        """Of the layers, the one whose states are compared: lower ones see spelling, higher ones whole sentences."""
        unknown = self.tokenizer.unk_token_id  # stands for something in the text, so it is no added token
        added = [token for token in self.tokenizer.all_special_ids if token != unknown]
        self.added = torch.tensor(added, device=self.device)
        self.piece_weights = PieceWeights(self.tokenizer)

    def _network(self) -> Network:
        return Network(self.model, beside=[self.head.product])

    def _read(self, rows: list[list[int]]) -> list[Encoding]:
        states = self.network.read(rows, all_layers=True)
        ids = torch.tensor([token for row in rows for token in row], device=self.device)  # (t,)
        with torch.inference_mode():
            layers = [layer.float() for layer in states.layers]  # each (T, H)
            in_place = self.head.in_place(torch.cat(layers[1:], -1)).cpu().numpy()  # (T,)
            middle = F.normalize(layers[self.middle], dim=-1).cpu().numpy()  # (T, H)
            own = ~torch.isin(ids, self.added).cpu().numpy()  # (t,)
        vectors = self._pooled(layers[-1], states.starts, rows)
        found = []
        for row, start, vector in zip(rows, states.starts, vectors, strict=True):
            part = slice(start, start + len(row))
            found.append(Encoding(vector, close=self._close(row, own[part], in_place[part], middle[part])))
        return found

    def _close(
        self,
        row: list[int],
        own: NDArray[np.bool_],
        in_place: NDArray[np.float32],
        middle: NDArray[np.float32],
    ) -> TokenReading | None:
        """What is kept of one text: (L,), (L,), (L, H)."""
        if not own.any():
            return None
        weights = self.piece_weights([piece for piece, kept in zip(row, own, strict=True) if kept])
        return TokenReading(middle[own], weights, float(in_place[own].mean(dtype=np.float64)))


class PairedEncoder:
    """Any encoder for whole texts, beside the close reader for their pieces."""

    def __init__(self, encoder: Encoder, reader: TokenLevelEncoder) -> None:
        """Take both."""
        self.encoder, self.reader = encoder, reader

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode each text with both, in order."""
        whole = self.encoder.encode(texts)
        pieces = self.reader.encode(texts, progress)
        return [replace(one, close=other.close) for one, other in zip(whole, pieces, strict=True)]
