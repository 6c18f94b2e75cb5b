"""Batches of one length and one height: no padding, and the same arithmetic for a row in any company.

Libraries choose the order of a sum by the shape of a batch. So the shape follows from the length of a row
alone: where there are too few rows of a length, the first is repeated. Some also treat the last rows of a product
in another way than the others (Intel's on AVX2, for small matrices). So each shape is tried before it is used, and
where a row's place in the batch shows in the result, rows of this length go one at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.similarity.side_by_side import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from torch import Tensor

    Product = tuple[Tensor, Tensor | None]
    """Weight (out, in) and bias (out,)."""


class Heights:
    """How many rows of each length go together in a network."""

    def __init__(self, products: Sequence[Product], tokens: int) -> None:
        """Aim at so many tokens in a batch; `products` are those of the network."""
        self.products, self.tokens = products, tokens
        self._known: dict[int, int] = {}

    def __call__(self, length: int) -> int:
        """Rows in a batch of this length."""
        if length not in self._known:
            self._try([length])
        return self._known[length]

    def of(self, lengths: Iterable[int]) -> Callable[[int], int]:
        """Try all these lengths, side by side."""
        self._try(sorted(set(lengths) - self._known.keys()))
        return self

    def _try(self, lengths: Sequence[int]) -> None:
        self._known |= zip(lengths, side_by_side(self._height, lengths), strict=True)

    def _height(self, length: int) -> int:
        count = max(1, self.tokens // max(1, length))
        return count if all(place_is_free(product, count, length) for product in self.products) else 1


def place_is_free(product: Product, count: int, length: int) -> bool:
    """Whether a row of so many tokens comes out of a product the same to the last bit at each of `count` places."""
    import torch  # noqa: PLC0415  (heavy)
    import torch.nn.functional as F  # noqa: PLC0415

    if count < 2 or not length:
        return True
    weight, bias = product
    row = torch.rand(length, weight.shape[1], generator=torch.Generator().manual_seed(length)) - 0.5
    rows = row.to(weight.device, weight.dtype).repeat(count, 1)  # (N L, in)
    first, *others = F.linear(rows, weight, bias).split(length)
    return all(torch.equal(first, other) for other in others)


def products_of(model: Any) -> list[Product]:
    """One product of each shape among a model's linear layers: shapes, not numbers, decide how they are added up."""
    from torch import nn  # noqa: PLC0415  (heavy)

    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    return list({layer.weight.shape: (layer.weight, layer.bias) for layer in layers}.values())


def batches(lengths: Sequence[int], height: Callable[[int], int]) -> Iterator[list[int]]:
    """Indices of rows that go together, the longest first, so that the last batches are quick ones."""
    alike: dict[int, list[int]] = {}
    for index, length in enumerate(lengths):
        alike.setdefault(length, []).append(index)
    for length, members in sorted(alike.items(), reverse=True):
        step = height(length)
        for start in range(0, len(members), step):
            yield members[start : start + step]


def topped_up(rows: Sequence[Sequence[int]], height: Callable[[int], int]) -> list[Sequence[int]]:
    """The rows of a batch, and repetitions of the first up to the full height."""
    return [*rows, *[rows[0]] * (height(len(rows[0])) - len(rows))]
