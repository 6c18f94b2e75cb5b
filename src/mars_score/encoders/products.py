"""Products with frozen weights, and whether they round a row the same way wherever it is.

On a CPU products in float32 and bfloat16 are oneDNN's, which has kernels for every kind of processor; the library that
torch takes otherwise for float32 is less than half as fast on some. Weights that many small products need can be laid
out for the processor once (`Linear.pack`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Product = tuple[Tensor, Tensor | None]
    """Weight (out, in) and bias (out,)."""

# oneDNN and torch's layer above it keep what they prepare for every shape of a product, up to 1,024 of them, in some
# hundred megabytes. The decoder's steps have shapes of their own, which hardly come again.
for _limit in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_limit, "64")

ROWS = 64
"""The batch that the layout of packed weights is chosen for; any other works with it too."""


def can_pack(weight: Tensor) -> bool:
    """Whether oneDNN multiplies this kind of tensor here; torch leaves those of bfloat16 to it anyway."""
    mkldnn = torch.ops.mkldnn
    return bool(
        weight.device.type == "cpu"
        and torch.backends.mkldnn.is_available()
        and hasattr(mkldnn, "_linear_pointwise")
        and (
            weight.dtype == torch.float32
            or (weight.dtype == torch.bfloat16 and mkldnn._is_mkldnn_bf16_supported())
        )
    )


def multiply(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y = x W^T + b for a frozen W: (..., in) -> (..., out)."""
    if not can_pack(weight) or rows.requires_grad:
        return F.linear(rows, weight, bias)
    product: Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return product


class Linear(nn.Module):  # type: ignore[misc]  # torch's types are not followed
    """y = x W^T + b for a frozen W (out, in)."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """Take weights as they lie in memory or in a file."""
        super().__init__()
        self.weight, self.bias = weight.detach(), bias if bias is None else bias.detach()
        self.out_features, self.in_features = weight.shape
        self.packed: Tensor | None = None

    def forward(self, rows: Tensor) -> Tensor:
        """Multiply (..., in) to (..., out)."""
        return multiply(rows, self.weight if self.packed is None else self.packed, self.bias)

    def pack(self) -> Linear:
        """Return the product with its weights laid out for the processor."""
        packed = Linear(self.weight, self.bias)
        if can_pack(self.weight):
            packed.packed = torch.ops.mkldnn._reorder_linear_weight(self.weight.contiguous(), ROWS)
        return packed


def freeze_linears(model: nn.Module, *, pack: bool = False) -> None:
    """Replace the linear layers of a frozen model; where their weights are packed, the plain ones are freed."""
    for module in model.modules():
        for name, child in module.named_children():
            # Exact types: a subclass may compute something else. Conv1D is how transformers calls a transposed one.
            transposed = type(child).__name__ == "Conv1D" and type(child).__module__.startswith(
                "transformers"
            )
            if type(child) is not nn.Linear and not transposed:
                continue
            weight: Any = child.weight.T if transposed else child.weight
            if can_pack(weight):
                layer = Linear(weight, child.bias)
                if pack:
                    layer = layer.pack()
                    layer.weight = weight.new_empty(0, layer.in_features)
                setattr(module, name, layer)


def products_of(model: nn.Module) -> list[Product]:
    """One product of each shape among a model's linear layers: shapes, not numbers, decide how they are added up."""
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear | Linear)]
    return list({layer.weight.shape: (layer.weight, layer.bias) for layer in layers}.values())


def size_is_free(product: Callable[[Tensor], Tensor], rows: Tensor, sizes: Iterable[int]) -> bool:
    """Whether rows come out of a product equal at each of these sizes, at the start and further on."""
    whole = product(rows)
    return all(
        torch.equal(product(rows[part]), whole[part])
        for size in sizes
        for part in (slice(size), slice(-size - 1, -1))
    )


def place_is_free(product: Product, count: int, length: int) -> bool:
    """Whether a row of so many tokens comes out of a product the same to the last bit at each of `count` places."""
    if count < 2 or not length:
        return True
    weight, bias = product
    rows = trial_rows(weight, length, seed=length).repeat(count, 1)  # (N L, in)
    first, *others = multiply(rows, weight, bias).split(length)
    return all(torch.equal(first, other) for other in others)


def trial_rows(weight: Tensor, count: int, seed: int = 0) -> Tensor:
    """Rows that a weight (out, in) can be multiplied with."""
    rows = torch.rand(count, weight.shape[1], generator=torch.Generator().manual_seed(seed)) - 0.5
    return rows.to(weight.device, weight.dtype)
