"""Attention over packed tokens against attention written out for one token at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.infilling.decoder.kv_cache import Cache
from mars_score.infilling.decoder.state import NewTokens

if TYPE_CHECKING:
    from mars_score.infilling.decoder.state import Row
    from mars_score.lm.causal import LanguageModel

LAYERS, KEY_HEADS, HEADS, SIZE, COLUMNS = 2, 2, 6, 4, 12


@dataclass
class FakeRow:
    """What the cache asks of a row."""

    slot: int
    context: int
    context_length: int


class FakeModel:
    """What the cache asks of a model."""

    kv_shape = (LAYERS, KEY_HEADS, SIZE)
    device = torch.device("cpu")

    class head:  # noqa: N801
        weight = torch.zeros(1)


def expected(
    query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, seen: torch.Tensor
) -> torch.Tensor:
    """One token: query (A, D), keys and values (K, n, D), seen (n,) -> (A, D)."""
    out = []
    for head in range(HEADS):
        group = head // (HEADS // KEY_HEADS)
        scores = keys[group][seen] @ query[head]
        out.append(scores.softmax(0) @ values[group][seen])
    return torch.stack(out)


@st.composite
def situations(draw: st.DrawFn) -> dict[str, Any]:
    """Contexts in panels, rows on them, and how many tokens each row has and reads."""
    panels = draw(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=3), min_size=1, max_size=3))
    contexts = [(number, length) for panel in panels for number, length in enumerate(panel)]
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, len(contexts) - 1), st.integers(0, 4), st.integers(1, 5)),
            min_size=1, max_size=6,
        )
    )  # fmt: skip
    return {
        "panels": panels,
        "rows": sorted(rows),
        "window": draw(st.sampled_from([None, 3, 6])),
        "idle": draw(st.integers(0, 3)),
        "seed": draw(st.integers(0, 999)),
    }


@given(situation=situations())
@settings(max_examples=60, deadline=None)
def test_equals_attention_token_by_token(situation: dict[str, Any]) -> None:
    rng = torch.Generator().manual_seed(situation["seed"])
    rows, window = situation["rows"], situation["window"]
    cache = Cache(cast("LanguageModel", FakeModel()), len(rows) + situation["idle"], COLUMNS)
    cache.row_store.copy_(torch.randn(cache.row_store.shape, generator=rng))
    lengths: list[int] = []
    for panel in situation["panels"]:
        numbers = list(range(len(lengths), len(lengths) + len(panel)))
        store = cache.contexts.add(numbers, panel).store
        store.copy_(torch.randn(store.shape, generator=rng))
        lengths += panel
    slots = torch.randperm(cache.rows, generator=rng).tolist()
    batch = []
    for slot, (context, held, count) in zip(slots, rows, strict=False):
        columns = list(range(held, held + count))
        visible = torch.rand(count, held + count, generator=rng) < 0.6
        visible = visible.tril(held)
        visible[range(count), columns] = True  # a token sees itself
        cache.positions[slot, :held] = lengths[context] + torch.arange(held)
        row = cast("Row", FakeRow(slot, context, lengths[context]))
        batch.append(NewTokens(row, [0] * count, columns, columns, visible.numpy()))
    _, positions, view = cache.step(batch)
    total = len(positions)
    for layer in range(LAYERS):
        query = torch.randn(HEADS, total, SIZE, generator=rng)
        key, value = torch.randn(2, KEY_HEADS, total, SIZE, generator=rng)
        found = view.attend(layer, query, key, value, scale=0.5, window=window)
        token = 0
        for new in batch:
            held, context = len(new.visible[0]), cache.contexts.context(new.row.context)[layer]
            own = cache.row_store[layer, :, new.row.slot, :, :held]
            keys, values = torch.cat([context, own], 2)
            for place, position in enumerate(new.positions):
                seen = torch.cat(
                    [torch.ones(context.shape[2], dtype=torch.bool), torch.from_numpy(new.visible[place])]
                )
                if window is not None:
                    at = torch.arange(len(seen))
                    seen = seen & (new.row.context_length + position - at < window)
                torch.testing.assert_close(
                    found[token], expected(0.5 * query[:, token], keys, values, seen), atol=1e-5, rtol=1e-4
                )
                token += 1


@pytest.mark.parametrize("kept", [[0], [2], [0, 2]])
def test_contexts_survive_when_their_neighbours_go(kept: list[int]) -> None:
    cache = Cache(cast("LanguageModel", FakeModel()), 2, COLUMNS)
    store = cache.contexts.add([0, 1, 2, 3], [5, 2, 4, 3]).store
    store.copy_(torch.randn(store.shape))
    before = {number: cache.contexts.context(number).clone() for number in kept}
    cache.contexts.drop(kept)
    for number in kept:
        assert torch.equal(cache.contexts.context(number), before[number])
    assert cache.contexts.tokens <= 2 * sum([5, 2, 4, 3][number] for number in kept) + 2
    with pytest.raises(KeyError):
        cache.contexts.context(1)
