"""Reinforced self-planning (section 2.2): future words bend the policy before a token is chosen.

The policy is the softmax of the last hidden state, p = softmax(W h / xi), so the paper's update of theta
needs no backward pass. With reward weights c over the future words,

    probability:  J = sum_w c_w log p_w               dJ/dz = c - (sum c) p
    similarity:   J = sum_w c_w log (p . s_w)         dJ/dz = sum_w c_w p (s_w - p . s_w) / (p . s_w)

where z = W h / xi and s_w is the similarity of every token's embedding to w's, brought to [0, 1]. Then
dJ/dh = W^T dJ/dz / xi. Each of the k updates moves h by eta |h| along the normalised gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from torch import Tensor

    from mars_score.config import InfillingConfig

NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Goals:
    """The future words of each row, padded with weight 0."""

    ids: Tensor
    """(B, F) token ids."""
    weights: Tensor
    """(B, F) reward weights; a row of zeros is not planned."""


class Tables:
    """The model's token vectors."""

    def __init__(self, output: Tensor, embeddings: Tensor) -> None:
        """Take the output head's table (V, H) and the embeddings (V, H), often the same."""
        self.output, self.embeddings = output, embeddings
        self.tied = output is embeddings or output.data_ptr() == embeddings.data_ptr()
        self.lengths = torch.cat([part.float().norm(dim=-1) for part in embeddings.split(8192)])  # (V,)


def shortlist(logits: Tensor, index: Tensor, goals: Goals, size: int) -> tuple[Tensor, Tensor]:
    """Return ids (b, C) and logits (b, C) of the tokens that planning reorders in the rows `index` (b,).

    These are the `size` best and the future words: what lies further down has next to no probability to
    give or to receive. With size 0, the whole vocabulary.
    """
    logits = logits[index] if len(index) < len(logits) else logits  # (b, V)
    if not size or size >= logits.shape[1]:
        return torch.arange(logits.shape[1], device=logits.device).expand_as(logits), logits
    top = logits.topk(size, dim=-1)
    same = goals.ids[:, :, None] == top.indices[:, None]  # (b, F, size)
    twice = (goals.ids[:, :, None] == goals.ids[:, None]).tril(-1)  # (b, F, F)
    extra = logits.gather(1, goals.ids)  # (b, F)
    extra = extra.masked_fill(same.any(-1) | twice.any(-1) | (goals.weights == 0), NEVER)
    return torch.cat([top.indices, goals.ids], 1), torch.cat([top.values, extra], 1)


def plan(
    hidden: Tensor, ids: Tensor, scores: Tensor, goals: Goals, tables: Tables, config: InfillingConfig
) -> Tensor:
    """Return the planned scores (B, C) of tokens with these ids (B, C) and scores (B, C) under hidden (B, H)."""
    whole = ids.shape[1] == len(tables.output)
    rows = (tables.output if whole else _pick(tables.output, ids)).float()  # (V, H) or (B, C, H)
    vectors = rows if tables.tied else (tables.embeddings if whole else _pick(tables.embeddings, ids)).float()
    reward = _reward(ids, scores, vectors, goals, tables, config.reward)  # (B, F, C)
    norm = hidden.float().norm(dim=-1, keepdim=True)  # (B, 1)
    change = torch.zeros_like(hidden, dtype=torch.float32)  # (B, H)
    planned = scores
    for _ in range(config.steps):
        p = (planned / config.xi).softmax(-1)  # (B, C)
        slope = _slope(p, reward, goals.weights, config.reward)  # (B, C)
        gradient = (slope[:, None] @ rows)[:, 0]  # (B, H); the factor 1/xi cancels in the norm
        change = change + config.eta * norm * F.normalize(gradient, dim=-1)
        planned = scores + _times(change, rows)  # (B, C)
    return planned


def _reward(ids: Tensor, scores: Tensor, vectors: Tensor, goals: Goals, tables: Tables, kind: str) -> Tensor:
    """(B, F, C): 1 where a token is the future word, or its similarity to it in [0, 1]."""
    if kind == "probability":
        same = goals.ids[:, :, None] == ids[:, None]  # (B, F, C)
        return (same & scores.isfinite()[:, None]).float()
    future = F.normalize(tables.embeddings[goals.ids].float(), dim=-1)  # (B, F, H)
    cosine = future @ vectors.transpose(-1, -2) / tables.lengths[ids].clamp_min(1e-12)[:, None]  # (B, F, C)
    return (1 + cosine) / 2


def _slope(p: Tensor, reward: Tensor, weights: Tensor, kind: str) -> Tensor:
    """dJ/dz for policy p (B, C), reward (B, F, C), weights (B, F)."""
    if kind == "probability":
        counts = (weights[:, None] @ reward)[:, 0]  # (B, C)
        return counts - counts.sum(-1, keepdim=True) * p
    expected = _times(p, reward).clamp_min(1e-12)  # (B, F)
    pull = ((weights / expected)[:, None] @ reward)[:, 0]  # (B, C)
    return p * (pull - weights.sum(-1, keepdim=True))


def _pick(table: Tensor, ids: Tensor) -> Tensor:
    """Rows (B, C, H) of a table (V, H) by their ids (B, C); faster on a CPU than indexing."""
    return table.index_select(0, ids.flatten()).view(*ids.shape, -1)


def _times(vectors: Tensor, rows: Tensor) -> Tensor:
    """Products of vectors (B, n) with each of their own rows (B, m, n), or the rows of all (m, n): (B, m)."""
    # The vector on the left: on a CPU a batch of products with it on the right takes several times as long.
    return (vectors[:, None] @ rows.transpose(-1, -2))[:, 0]


def reward_of(z: Tensor, goal: Tensor, weights: Tensor, embeddings: Tensor, kind: str) -> Tensor:
    """The reward J itself for one policy z (V,), for planners that differentiate it by autograd."""
    if kind == "probability":
        return (weights * z.log_softmax(-1)[goal]).sum()
    vectors = F.normalize(embeddings.float(), dim=-1)  # (V, H)
    similarity = (1 + vectors[goal] @ vectors.T) / 2  # (F, V)
    return (weights * (similarity @ z.softmax(-1)).clamp_min(1e-12).log()).sum()
