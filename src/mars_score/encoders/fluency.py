"""Word pieces of the default encoder: how much each counts, and how well it stands in its place.

Rare pieces count more. A sentence encoder's vector hardly changes when words are shuffled, but its inner layers notice:
a small network (`fluency_head/`, trained by tools/train_fluency_head.py on sentences that a program has spoilt, without
any human judgement) turns the states of all layers into the probability that a piece is out of place.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mars_score.errors import ModelError
from mars_score.models.manifest import read_manifest, sha256_of, sha256_once
from mars_score.text.frequency import rarity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch
    from numpy.typing import NDArray
    from torch import Tensor

CONTINUED = 3.0
"""A piece that goes on with a word: such words are rare."""
LEAST = 0.01
"""Punctuation counts hardly, but a text of nothing else can still be compared."""
VERSION = "zipf1"
"""For signatures: raised whenever the rule changes."""
PLAIN = "plain2"
"""The same of encoders without a head, where all words weigh the same and the last layer is compared."""


class PieceWeights:
    """The weights of a tokenizer's pieces, looked up when they are first needed."""

    def __init__(self, tokenizer: Any, *, english: bool = True) -> None:
        """Take a tokenizer of English, whose continued pieces begin with ##; of any other, all words weigh the same."""
        self.tokenizer, self.english = tokenizer, english
        self._known: dict[int, float] = {}

    def __call__(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        """(n,) weights that sum to 1."""
        raw = np.array([self._weight(piece) for piece in pieces], np.float64)
        weights: NDArray[np.float32] = (raw / raw.sum()).astype(np.float32)
        return weights

    def _weight(self, piece: int) -> float:
        if piece not in self._known:
            text = self.tokenizer.convert_ids_to_tokens(piece)
            if not self.english:
                self._known[piece] = 1.0 if any(map(str.isalnum, text)) else LEAST
                return self._known[piece]
            weight = rarity(text) / 2 if text[0].isalnum() else 0.0
            self._known[piece] = LEAST + (CONTINUED if text.startswith("##") else weight)
        return self._known[piece]


FOLDER = Path(__file__).with_name("fluency_head")
FILE = FOLDER / "head.safetensors"


def refuse_other(folder: Path) -> None:
    """Refuse a folder that does not hold the very encoder that the head was trained on."""
    if not has_head(folder):
        raise ModelError(
            f"{folder}: no fluency head was trained on this encoder\n"
            "  remedy: leave reader=minilm-l6, whatever the encoder; or set fluency=0, or use preset paper-formula"
        )


def has_head(folder: Path) -> bool:
    """Whether the head was trained on the encoder of a folder."""
    weights, manifest = folder / "model.safetensors", read_manifest(folder)
    if not (FILE.is_file() and weights.is_file()):
        return False
    stored, wanted = manifest.files.get(weights.name) if manifest else None, _recorded()["body_sha256"]
    if stored and stored.sha256 != wanted:
        return False  # a large encoder need not be read for that
    return sha256_once(weights) == wanted


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

        self.tensors = {
            name: tensor.float().to(device) for name, tensor in (tensors or load_file(FILE)).items()
        }

    @property
    def product(self) -> tuple[Tensor, Tensor]:
        """The one product of matrices: weight (width, layers H) and bias (width,)."""
        return self.tensors["dense.weight"], self.tensors["dense.bias"]

    def in_place(self, states: Tensor) -> Tensor:
        """(..., layers H) -> (...): log of the probability that a piece is in its place."""
        import torch.nn.functional as F

        from mars_score.encoders.products import multiply

        tensors = self.tensors
        states = F.layer_norm(states, states.shape[-1:], tensors["norm.weight"], tensors["norm.bias"])
        hidden = F.gelu(multiply(states, *self.product))  # (..., width)
        # A product with a single column would round by where in the batch a text stands.
        logits = (hidden * tensors["out.weight"][0]).sum(-1) + tensors["out.bias"]  # (...)
        return F.logsigmoid(-logits)
