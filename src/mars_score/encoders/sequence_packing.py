"""Texts of any length in one pass through an encoder, one behind the other: no padding, and few passes.

The linear layers see one long sequence of tokens; attention keeps to each text.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

ATTENTION = "mars_texts"
"""The name under which transformers knows the attention of packs."""


def packs(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Indices of rows that go together: the longest first, and into what room they leave the longest that fits.

    No pack has more tokens than `size`, but a longer row, which is alone.
    """
    waiting: dict[int, list[int]] = {}
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        waiting.setdefault(lengths[index], []).append(index)
    found = []
    while waiting:
        pack: list[int] = []
        room = max(size, next(iter(waiting)))
        for length in list(waiting):
            count = room // length if length else len(waiting[length])
            pack += waiting[length][:count]
            room -= length * min(count, len(waiting[length]))
            waiting[length] = waiting[length][count:]
            if not waiting[length]:
                del waiting[length]
        found.append(pack)
    return found


@dataclass(frozen=True, slots=True)
class TokenPack:
    """Rows of tokens one behind the other, and padding up to a given number of tokens."""

    ids: list[int]
    positions: list[int]
    groups: list[tuple[int, int]]
    """Neighbours of one length: (how many, length)."""

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], size: int, first: int) -> TokenPack:
        """Lay rows out; `first` is the position of a text's first token. Padding is a text of its own."""
        short = size - sum(map(len, rows))
        full = [*rows, [0] * short] if short > 0 else list(rows)
        return cls(
            [token for row in full for token in row],
            [first + place for row in full for place in range(len(row))],
            [(len(list(alike)), length) for length, alike in groupby(map(len, full)) if length],
        )


def attend(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None, *,
    groups: Sequence[tuple[int, int]] | None = None, scaling: float | None = None,
    sliding_window: int | None = None, **_: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """Attention of transformers for packs: (1, heads, T, D) in, (1, T, heads, D) out; without `groups`, the usual."""
    if groups is None:
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=attention_mask, scale=scaling)
        return mixed.transpose(1, 2), None
    shared = query.shape[1] // key.shape[1]  # heads that share keys and values
    key, value = (one.repeat_interleave(shared, 1) if shared > 1 else one for one in (key, value))
    outputs, start = [], 0
    for count, length in groups:
        part = slice(start, start + count * length)
        q, k, v = (
            one[0, :, part].unflatten(1, (count, length)).transpose(0, 1)  # (N, heads, L, D)
            for one in (query, key, value)
        )
        window = _window(length, sliding_window, query)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=window, scale=scaling)
        outputs.append(mixed.transpose(1, 2).flatten(0, 1))  # (N L, heads, D)
        start = part.stop
    return torch.cat(outputs)[None], None


def _window(length: int, size: int | None, like: Tensor) -> Tensor | None:
    """(L, L) which tokens of a text see each other: those less than a window apart; none if that is all of them."""
    if size is None or length <= size:
        return None
    places = torch.arange(length, device=like.device)
    return (places[:, None] - places).abs() < size


def register() -> None:
    """Make the attention of packs known to transformers."""
    from transformers import AttentionInterface

    AttentionInterface.register(ATTENTION, attend)
