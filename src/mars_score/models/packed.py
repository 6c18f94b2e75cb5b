"""Linear layers whose weights are laid out once for the processor.

On a CPU in float32, oneDNN multiplies from weights in its own blocked order up to three times as fast as
from plain rows when the batch is small, which is what decoding is made of. The operators are those that
torch's own compiler emits; where they do not exist, or nothing is to be gained, layers stay as they are.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import Tensor, nn

# oneDNN and torch's layer above it keep what they prepare for every shape of a product, up to 1,024 of them, in some
# hundred megabytes. Here each step has a shape of its own, which hardly comes again.
for _limit in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_limit, "64")

ROWS = 64
"""The batch that the layout is chosen for; any other works with it too."""


class PackedLinear(nn.Module):  # type: ignore[misc]  # torch's types are not followed
    """y = x W^T + b for a frozen W (out, in)."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.bias = bias
        self.packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous(), ROWS)

    def forward(self, x: Tensor) -> Tensor:
        """Multiply (..., in) to (..., out)."""
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")
        return y


def can_pack(weight: Tensor) -> bool:
    """Whether packed weights exist for this kind of tensor here."""
    return bool(
        weight.device.type == "cpu"
        and weight.dtype == torch.float32
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


def pack_linears(model: nn.Module) -> None:
    """Replace the linear layers of a frozen model; their plain weights are let go."""
    from transformers.pytorch_utils import Conv1D

    for module in model.modules():
        for name, child in module.named_children():
            # Exact types: a subclass may compute something else.
            weight: Any = child.weight if type(child) is nn.Linear else None
            if type(child) is Conv1D:
                weight = child.weight.T
            if weight is not None and can_pack(weight):
                setattr(module, name, PackedLinear(weight, child.bias))
