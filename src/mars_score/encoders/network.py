"""An encoder's network: rows of tokens in, their states out, the same to the last bit in any batch.

Texts of any length go through in one pass, one after another: no padding, and few passes. The linear layers see one
long sequence of tokens; attention keeps to each text.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import torch
import torch.nn.functional as F

from mars_score.encoders.products import multiply, place_is_free, products_of, size_is_free, trial_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from torch import Tensor

    from mars_score.encoders.products import Product


ATTENTION = "mars_texts"
"""The name under which transformers knows the attention of packs."""


def packs(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Indices of rows that go together: the longest first, and into what room they leave the longest that fits.

    No pack has more tokens than `size`, but a longer row, which is alone.
    """
    waiting: dict[int, list[int]] = {}
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        waiting.setdefault(lengths[index], []).append(index)
    result = []
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
        result.append(pack)
    return result


@dataclass(frozen=True, slots=True)
class TokenPack:
    """Rows of tokens one after another, and padding up to a given number of tokens."""

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
            [first + offset for row in full for offset in range(len(row))],
            [(len(list(run)), length) for length, run in groupby(map(len, full)) if length],
        )


def attend(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None, *,
    groups: Sequence[tuple[int, int]] | None = None, scaling: float | None = None,
    sliding_window: int | None = None, biases: Sequence[Tensor] | None = None, **_: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """Attention of transformers for packs: (1, heads, T, D) in, (1, T, heads, D) out; without `groups`, the usual.

    `biases` (1, heads, L, L), one for each group, are added before the softmax.
    """
    if groups is None:
        attention_mask = biases[0] if biases else attention_mask
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=attention_mask, scale=scaling)
        return mixed.transpose(1, 2), None
    shared = query.shape[1] // key.shape[1]  # heads that share keys and values
    key, value = (states.repeat_interleave(shared, 1) if shared > 1 else states for states in (key, value))
    outputs, start = [], 0
    for number, (count, length) in enumerate(groups):
        part = slice(start, start + count * length)
        q, k, v = (
            states[0, :, part].unflatten(1, (count, length)).transpose(0, 1)  # (N, heads, L, D)
            for states in (query, key, value)
        )
        mask = biases[number] if biases else _window(length, sliding_window, query)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scaling)
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


# Batches of one length and one height: no padding, and the same arithmetic for a row in any company.


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


def batches(lengths: Sequence[int], height: Callable[[int], int]) -> Iterator[list[int]]:
    """Indices of rows that go together, the longest first, so that the last batches are quick ones."""
    by_length: dict[int, list[int]] = {}
    for index, length in enumerate(lengths):
        by_length.setdefault(length, []).append(index)
    for length, members in sorted(by_length.items(), reverse=True):
        step = height(length)
        for start in range(0, len(members), step):
            yield members[start : start + step]


def topped_up(rows: Sequence[Sequence[int]], height: Callable[[int], int]) -> list[Sequence[int]]:
    """The rows of a batch, and repetitions of the first up to the full height."""
    return [*rows, *[rows[0]] * (height(len(rows[0])) - len(rows))]


# Batches side by side: each on one processor, as many at once as torch may use.

Item = TypeVar("Item")
Result = TypeVar("Result")

_turn = threading.RLock()
"""The number of threads belongs to the process: who changes it must put it back before the next one."""


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Yield the result for each item, in order; torch keeps to one thread in each."""
    with single_threaded_torch() as workers, ThreadPoolExecutor(max(1, min(workers, len(items)))) as pool:
        try:
            yield from pool.map(work, items)
        finally:
            pool.shutdown(cancel_futures=True)  # after an error, what has not begun never begins


@contextmanager
def single_threaded_torch() -> Iterator[int]:
    """Tell how many threads torch may use, and meanwhile make it use one in each that calls it.

    Also for many small products one after the other, which threads would only hold up.
    """
    with _turn:
        threads = torch.get_num_threads()
        if "OpenMP" not in torch.__config__.parallel_info():
            yield 1  # other thread pools cannot be resized: they go on sharing out each product
            return
        torch.set_num_threads(1)
        try:
            yield threads
        finally:
            torch.set_num_threads(threads)


# An encoder's network: rows of tokens in, their states out, the same to the last bit in any company.

STEP = 64
"""Packs have a multiple of so many tokens,"""
LARGEST = 512
"""and at most so many: more make a product no faster."""
FIXED = 192
"""Tokens of every pack or batch where sizes matter to rounding: enough for full speed, and little is wasted."""
FIXED_ELSEWHERE = 8192
"""The same on a device with a memory of its own."""
Sizes = Literal["any", "one", "own"]
"""Of packs: as large as there is work; all of one size; each row alone, by its own length."""
PLACES = (1, 6, 29, 64, 95, 128)
"""How far rows are moved to see whether their place in a pack shows."""
CLOSE = 1e-3
"""States of a row in a pack and of the same row alone differ by less, or the network cannot take packs."""


@dataclass(frozen=True, slots=True)
class States:
    """What one pass through the network saw."""

    layers: tuple[Tensor, ...]
    """(T, H) each: the rows one after another, then padding."""
    starts: tuple[int, ...]
    """Where each row begins."""


class Network:
    """A frozen encoder of transformers."""

    def __init__(self, model: Any, *, beside: Sequence[Product] = ()) -> None:
        """Take a model; `beside` are further products with its states, whose rounding counts too."""
        self.model, self.device = model, model.device
        model.config.use_cache = False  # of keys and values, which only a text that grows needs
        self.first = first_position(model)
        self.fixed = FIXED if self.device.type == "cpu" else FIXED_ELSEWHERE
        layer_products = products_of(model)
        self.heights = Heights(layer_products, self.fixed)
        self.takes_packs = getattr(model, "takes_packs", False) or self._try_packs()
        self.products = [*layer_products, *beside]

    @cached_property
    def sizes(self) -> Sizes:
        """Which sizes packs may have on this processor."""
        return self._try_sizes(self.products) if self.takes_packs else "one"

    def together(self, lengths: Sequence[int]) -> list[list[int]]:
        """Indices of rows that go through the network in one pass, the longest first."""
        if not self.takes_packs:
            return list(batches(lengths, self.heights.of(lengths)))
        if self.sizes == "own":
            return sorted(([index] for index in range(len(lengths))), key=lambda alone: -lengths[alone[0]])
        share = -(-sum(lengths) // torch.get_num_threads())  # some for each thread
        return packs(lengths, _in_steps(min(share, LARGEST)) if self.sizes == "any" else self.fixed)

    def read(self, rows: Sequence[Sequence[int]], *, all_layers: bool = False) -> States:
        """Pass rows that `together` put together: the states of the last layer, or of the embeddings and all layers."""
        lengths = [len(row) for row in rows]
        starts = tuple(accumulate(lengths[:-1], initial=0))
        if not any(lengths):  # blank texts, for a tokenizer that adds nothing
            depth = int(self.model.config.num_hidden_layers) + 1 if all_layers else 1
            return States(depth * (torch.zeros(0, self.model.config.hidden_size),), starts)
        with torch.inference_mode():
            if self.takes_packs:
                size = self.fixed if self.sizes == "one" else _in_steps(sum(lengths))
                layers = self._pass_pack(rows, size, all_layers=all_layers)
            else:
                ids = torch.tensor(topped_up(rows, self.heights), device=self.device)  # (N, L)
                layers = _layers(
                    self.model(
                        input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=all_layers
                    ),
                    all_layers=all_layers,
                )
            return States(tuple(layer.flatten(0, 1) for layer in layers), starts)

    def _pass_pack(
        self, rows: Sequence[Sequence[int]], size: int, *, all_layers: bool = False
    ) -> tuple[Tensor, ...]:
        """(1, T, H) of each layer asked for."""
        pack = TokenPack.of(rows, size, self.first)
        output = self.model(
            input_ids=torch.tensor([pack.ids], device=self.device),
            position_ids=torch.tensor([pack.positions], device=self.device),
            groups=pack.groups,
            output_hidden_states=all_layers,
        )
        return _layers(output, all_layers=all_layers)

    def _try_packs(self) -> bool:
        """Whether rows in a pack come out as alone. Positions or attention of another kind would show here."""
        probe = [[5, 9, 7, 8, 6, 5, 4], [6, 8, 4], [9]]
        if window := getattr(self.model.config, "sliding_window", None):
            probe.append([5 + index % 5 for index in range(window + STEP // 2)])  # reaches beyond the window
        usual = self.model.config._attn_implementation
        register()
        with torch.inference_mode():
            alone = [self.model(input_ids=torch.tensor([row], device=self.device))[0][0] for row in probe]
            try:
                self.model.set_attn_implementation(ATTENTION)
                packed = self._pass_pack(probe, _in_steps(sum(map(len, probe))))[0][0]  # (T, H)
                parts = packed[: sum(map(len, probe))].split([len(row) for row in probe])
                gap = max(float((a - b).abs().max()) for a, b in zip(alone, parts, strict=True))
                if gap < CLOSE * float(alone[0].abs().max()):
                    return True
            except (AttributeError, IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):
                pass  # a network of another architecture
        self.model.set_attn_implementation(usual)
        return False

    def _try_sizes(self, products: Sequence[Product]) -> Sizes:
        """At which sizes of a pack the products of a row are the same to the last bit, wherever it is."""
        products = list({weight.shape: (weight, bias) for weight, bias in products}.values())
        if self.device.type == "cpu" and all(side_by_side(_any_size, products)):
            return "any"
        return "one" if all(side_by_side(self._any_place, products)) else "own"

    def _any_place(self, product: Product) -> bool:
        """Whether rows come out of a product equal at every place of a pack of the one size."""
        whole, rows = trial_rows(product[0], 2 * self.fixed), self.fixed
        parts = [multiply(whole[start : start + rows], *product) for start in (0, *PLACES, rows)]
        first = torch.cat([parts[0], parts[-1]])
        return all(
            torch.equal(part, first[start : start + rows])
            for start, part in zip(PLACES, parts[1:-1], strict=True)
        )


def _layers(output: Any, *, all_layers: bool) -> tuple[Tensor, ...]:
    return tuple(output.hidden_states) if all_layers else (output.last_hidden_state,)


def _in_steps(tokens: int) -> int:
    """The size of a pack for so many tokens; of a text that is longer than any pack, its own length."""
    return tokens if tokens > LARGEST else max(STEP, -(-tokens // STEP) * STEP)


def _any_size(product: Product) -> bool:
    """Whether rows come out of a product equal at every size of a pack."""
    return size_is_free(
        lambda rows: multiply(rows, *product), trial_rows(product[0], LARGEST), range(STEP, LARGEST, STEP)
    )


def first_position(model: Any) -> int:
    """The position of a text's first token: RoBERTa and its like start counting after the padding index."""
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            return int(module.padding_idx) + 1
    return 0
