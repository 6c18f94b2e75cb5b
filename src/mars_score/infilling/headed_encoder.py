"""The default sentence encoder made a masked language model by what ships in `masked_head/`.

No package registry carries a masked language model, so one was trained (tools/train_masked_head.py) on top of
the encoder: low-rank changes to its linear layers, which had forgotten single words in favour of whole
sentences, a vector of its own for [MASK], and an output layer tied to the encoder's word embeddings.
`masked_head/card.json` tells how, on what, and how well it does.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from mars_score.models.digest import sha256_of
from mars_score.models.quiet import quiet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

FOLDER = Path(__file__).with_name("masked_head")
FILE = FOLDER / "head.safetensors"
PLACES = 16
"""Places that the output layer answers at once: always as many, so that the arithmetic is always the same."""
_LAYER = re.compile(r"body\.encoder\.layer\.(\d+)\.")
_FACTOR = re.compile(r"body\.(.+)\.down")


def fits(folder: Path) -> bool:
    """Whether a folder holds the very encoder that the head was trained on."""
    weights = folder / "model.safetensors"
    return FILE.is_file() and weights.is_file() and sha256_of(weights) == _recorded()["body_sha256"]


def head_hash() -> str:
    """8 hex digits that change with the head, for signatures."""
    return sha256_of(FILE)[:8]


@cache
def _recorded() -> dict[str, str]:
    """What the head's file says of itself."""
    from safetensors import safe_open  # noqa: PLC0415  (heavy)

    with safe_open(FILE, "pt") as file:
        recorded: dict[str, str] = file.metadata()
    return recorded


class HeadedEncoder:
    """The encoder's body with the trained changes, and the output layer."""

    def __init__(
        self, location: str, device: torch.device, dtype: str, tensors: Mapping[str, Tensor] | None = None
    ) -> None:
        """Load the body and change it for good; `tensors` take the place of the shipped ones."""
        from safetensors.torch import load_file  # noqa: PLC0415  (heavy)
        from transformers import AutoModel  # noqa: PLC0415

        kind = getattr(torch, dtype)
        trained = {name: each.float() for name, each in (tensors or load_file(FILE)).items()}
        depth = 1 + max(int(found[1]) for found in map(_LAYER.match, trained) if found)
        with quiet():
            body = AutoModel.from_pretrained(
                location, use_safetensors=True, trust_remote_code=False, add_pooling_layer=False,
                num_hidden_layers=depth,
            )  # fmt: skip
        body = body.eval().requires_grad_(requires_grad=False)
        _merge(body, trained)
        words = body.get_input_embeddings().weight
        self.output = words.to(device, kind, copy=True)  # before [MASK] gets its own vector
        words[int(trained["mask_id"])] = trained["mask"]
        self.body: Any = body.to(device, kind)
        self.trained = {name: each.to(device, kind) for name, each in trained.items() if "body" not in name}
        self.size = int(words.shape[0])
        self.positions = int(body.config.max_position_embeddings)

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Read the rows, then ask the output layer for the places alone."""
        states = self.body(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        asked = states[rows, columns]  # (n, H)
        short = -len(asked) % PLACES
        padded = torch.cat([asked, asked[:1].expand(short, -1)])
        found = [self._output(part) for part in padded.split(PLACES)]
        return torch.cat(found)[: len(asked)].float()

    def _output(self, states: Tensor) -> Tensor:
        """(n, H) -> (n, V)."""
        own = self.trained
        states = F.gelu(F.linear(states, own["dense.weight"], own["dense.bias"]))
        states = F.layer_norm(states, states.shape[-1:], own["norm.weight"], own["norm.bias"])
        return F.linear(states, self.output, own["bias"])


def _merge(body: Any, trained: Mapping[str, Tensor]) -> None:
    """Add the low-rank products to the weights: W + up down."""
    for name, down in trained.items():
        if found := _FACTOR.fullmatch(name):
            layer = body.get_submodule(found[1])
            layer.weight += trained[f"body.{found[1]}.up"] @ down
