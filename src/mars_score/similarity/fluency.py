"""How well the words of a text stand in their places, read off the states of the default sentence encoder.

A sentence encoder's vector hardly changes when words are shuffled, but its inner layers notice. A small network
(`fluency_head/`, trained by tools/train_fluency_head.py on sentences that a program has spoilt, without any
human judgement) turns the states of all layers into the probability that a word piece is out of place. The
states are there anyway, so a text's fluency costs next to nothing beside its encoding.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import ModelError
from mars_score.models.digest import sha256_of, sha256_once

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch
    from torch import Tensor

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
    from safetensors import safe_open  # noqa: PLC0415  (heavy)

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
        from safetensors.torch import load_file  # noqa: PLC0415  (heavy)

        self.own = {name: each.float().to(device) for name, each in (tensors or load_file(FILE)).items()}

    @property
    def product(self) -> tuple[Tensor, Tensor]:
        """The one product of matrices: weight (width, layers H) and bias (width,)."""
        return self.own["dense.weight"], self.own["dense.bias"]

    def in_place(self, states: Tensor) -> Tensor:
        """(..., layers H) -> (...): log of the probability that a piece is in its place."""
        import torch.nn.functional as F  # noqa: PLC0415  (heavy)

        own = self.own
        states = F.layer_norm(states, states.shape[-1:], own["norm.weight"], own["norm.bias"])
        hidden = F.gelu(F.linear(states, *self.product))  # (..., width)
        # A product with a single column would round by where in the batch a text stands.
        logits = (hidden * own["out.weight"][0]).sum(-1) + own["out.bias"]  # (...)
        return F.logsigmoid(-logits)
