"""The other reading of Eq. 6: theta is the cache, and the gradient goes through the whole network.

This is how PPLM steers: the keys and values of all past tokens are moved so that the future words become
more probable. It costs k forward and backward passes for every token of every row, one row at a time, and
is kept for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from mars_score.infilling.planning import reward_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.config import InfillingConfig
    from mars_score.infilling.cache import Cache
    from mars_score.infilling.language_model import LanguageModel
    from mars_score.infilling.rows import Row, Strand


@dataclass(slots=True)
class _Past:
    """One new token that sees given keys and values."""

    keys_values: Tensor
    """(layers, 2, K, n, D)."""

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, *, scale: float, window: int | None
    ) -> Tensor:
        keys, values = self.keys_values[layer]
        if window is not None:
            start = max(0, keys.shape[1] - window + 1)
            keys, values = keys[:, start:], values[:, start:]
        k, v = torch.cat([keys, key], 1), torch.cat([values, value], 1)  # (K, n+1, D)
        out = F.scaled_dot_product_attention(query[None], k[None], v[None], scale=scale, enable_gqa=True)
        return out[0].transpose(0, 1)  # (1, A, D)


def plan_through_cache(
    model: LanguageModel, heads: Sequence[tuple[Row, Strand]], cache: Cache, config: InfillingConfig
) -> Tensor:
    """Return the planned logits (B, V) of the next token of each head."""
    return torch.stack([_plan(model, row, strand, cache, config) for row, strand in heads])


def _plan(model: LanguageModel, row: Row, strand: Strand, cache: Cache, config: InfillingConfig) -> Tensor:
    """Move the strand's past, then read its last token again: logits (V,)."""
    columns = [*range(row.length), *strand.columns]
    own = cache.own[:, :, row.slot, :, columns]  # (layers, 2, K, n, D)
    past = torch.cat([cache.contexts.context(row.context), own], dim=3)[:, :, :, :-1]
    last = ([row.job.context[-1], *row.history, *strand.tokens])[-1]
    token = torch.tensor([last], device=model.device)
    position = torch.tensor([past.shape[3]], device=model.device)
    change = torch.zeros_like(past)
    if row.goal:
        norm = past.flatten(1).norm(dim=1)[:, None, None, None, None]  # (layers, 1, 1, 1, 1)
        goal = torch.tensor(row.goal, device=model.device)
        weights = config.decay ** torch.arange(len(row.goal), device=model.device)
        for _ in range(config.steps):
            with torch.enable_grad():
                moved = change.clone().requires_grad_(requires_grad=True)
                logits = model.logits(model.hidden(token, position, _Past(past + moved)))[0]  # (V,)
                embeddings = model.model.get_input_embeddings().weight
                reward = reward_of(logits / config.xi, goal, weights, embeddings, config.reward)
                (gradient,) = torch.autograd.grad(reward, moved)
            length = gradient.flatten(1).norm(dim=1)[:, None, None, None, None].clamp_min(1e-12)
            change = change + config.eta * norm * gradient / length
    return model.logits(model.hidden(token, position, _Past(past + change)))[0]
