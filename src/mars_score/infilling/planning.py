"""Reinforced self-planning (section 2.2): future words bend the policy before a token is chosen.

The policy is the softmax of the last hidden state, p = softmax(W h / xi), so the paper's update of theta
needs no backward pass. With reward weights c over the future words,

    probability:  J = sum_w c_w log p_w               dJ/dz = c - (sum c) p
    similarity:   J = sum_w c_w log (p . s_w)         dJ/dz = sum_w c_w p (s_w - p . s_w) / (p . s_w)

where z = W h / xi and s_w is the similarity of every token's embedding to w's, brought to [0, 1]. Then
dJ/dh = W^T dJ/dz / xi. Each of the k updates moves h by eta |h| along the normalised gradient.

The other reading of theta is the cache (`planner="kv"`), with the gradient going through the whole network. This is
how PPLM steers: the keys and values of all past tokens are moved so that the future words become more probable. It
costs k forward and backward passes for every token of every row, one row at a time, and is kept for comparison.

`Chooser` puts these to use: what may be written next, what planning prefers, greedy or sampled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from mars_score.lm.attention import Continuation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.config import InfillingConfig
    from mars_score.infilling.decoder.kv_cache import Cache
    from mars_score.infilling.decoder.state import Row, Slotted, Strand
    from mars_score.lm.causal import LanguageModel

NEVER = float("-inf")
TIE = {"float32": 2e-4, "float16": 0.1, "bfloat16": 0.5}
"""Scores nearer than this could be ordered by the rounding of another batch shape."""

Head = tuple["Row", "Strand"]
"""Where a token is wanted: the end of a strand."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One token for each head."""

    tokens: Tensor
    """(B,)."""
    near: Tensor
    """(B,) bool: another token came so near that rounding could have decided."""


class Chooser:
    """Chooses the next token of each strand."""

    def __init__(self, model: LanguageModel, config: InfillingConfig) -> None:
        """Look up the model's tables once."""
        self.model, self.config = model, config
        self.tables = Tables(model.head.weight, model.network.embeddings)
        self.unwritable = ~model.vocabulary.writable  # (V,)
        self.tie = TIE[config.dtype]

    def choose(
        self, heads: Sequence[Head], hidden: Tensor, logits: Tensor, cache: Cache
    ) -> tuple[Choice, Choice]:
        """Return the plain choice of each head (B,), and the planned one where something is to be planned.

        Elsewhere the planned choice is the plain one. `logits` of tokens that must not be written become -inf.
        """
        self._forbid(heads, logits)
        noise = self._noise(heads) if self.config.temperature else None  # (B, V)
        plain = self._best(logits, noise)
        wanted = [i for i, (row, strand) in enumerate(heads) if _plans(row, strand)]
        if not wanted:
            return plain, plain
        heads, index = [heads[i] for i in wanted], torch.tensor(wanted, device=logits.device)
        if self.config.planner == "kv":
            pasts = [past_of(cache, row, strand) for row, strand in heads]
            scores = plan_through_cache(self.model, pasts, self.config)  # (b, V)
            scores = scores.masked_fill(logits[index].isneginf(), NEVER)
            best = self._best(scores, noise if noise is None else noise[index])
        else:
            goals = self.goals([row for row, _ in heads])
            ids, scores = shortlist(logits, index, goals, self.config.shortlist)  # (b, C), (b, C)
            scores = plan(hidden[index], ids, scores, goals, self.tables, self.config)  # (b, C)
            choice = self._best(scores, noise if noise is None else noise[index[:, None], ids])
            best = Choice(ids.gather(1, choice.tokens[:, None])[:, 0], choice.near)
        tokens, near = plain.tokens.clone(), plain.near.clone()
        tokens[index], near[index] = best.tokens, best.near
        return plain, Choice(tokens, near)

    def _best(self, scores: Tensor, noise: Tensor | None) -> Choice:
        """The highest score of each head, or a sample (the highest after Gumbel noise)."""
        if noise is not None:
            scores = scores / self.config.temperature + noise
        top = scores.topk(2, dim=-1)
        return Choice(top.indices[:, 0], top.values[:, 0] - top.values[:, 1] < self.tie)

    def _forbid(self, heads: Sequence[Head], logits: Tensor) -> None:
        """Set to -inf, in logits (B, V), every token that must not be written now."""
        logits.masked_fill_(self.unwritable, NEVER)
        grown = [
            i
            for i, (row, strand) in enumerate(heads)
            if not strand.tokens and row.job.blocks[row.block].inside_word
        ]
        if grown:
            logits[grown] = logits[grown].masked_fill(self.model.vocabulary.opens_word, NEVER)
        if self.config.no_repeat:
            banned = [
                (i, token)
                for i, (row, strand) in enumerate(heads)
                for token in repeats([*row.history, *strand.tokens])
            ]
            if banned:
                index, token = torch.tensor(banned, device=logits.device).T
                logits[index, token] = NEVER

    def goals(self, rows: Sequence[Row]) -> Goals:
        """The future words of rows."""
        return goals_of([row.goal for row in rows], self.config.decay, self.tables.output.device)

    def _noise(self, heads: Sequence[Head]) -> Tensor:
        """Gumbel noise (B, V) of each row's own seed and step, so that a sample does not depend on the batch."""
        noise = []
        for row, strand in heads:
            seed = (row.job.salt * 1_000_003 + len(row.history) * 1_009 + len(strand.tokens)) % (1 << 63)
            uniform = torch.rand(self.tables.output.shape[0], generator=torch.Generator().manual_seed(seed))
            noise.append(-torch.log(-torch.log(uniform.clamp_(1e-9, 1 - 1e-7))))
        return torch.stack(noise).to(self.tables.output.device)


def past_of(cache: Cache, row: Row, strand: Strand) -> Past:
    """What a strand has behind it."""
    last = ([row.job.context[-1], *row.history, *strand.tokens])[-1]
    return Past.of(cache, row, [*range(row.length), *strand.columns], last, row.goal)


def _plans(row: Row, strand: Strand) -> bool:
    """Whether planning has a say: in a planned strand, and where one could still fork off."""
    return strand.planned or (row.limits.plan and len(row.strands) == 1 and bool(row.goal))


def repeats(history: Sequence[int], size: int = 2) -> set[int]:
    """Tokens that would repeat the last token, or a run of `size` tokens that the text already has."""
    if not history:
        return set()
    last = tuple(history[1 - size :])
    runs = zip(*(history[start:] for start in range(size)), strict=False)
    return {history[-1]} | {run[-1] for run in runs if run[:-1] == last}


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


def goals_of(words: Sequence[Sequence[int]], decay: float, device: torch.device) -> Goals:
    """Future words with their weights, decaying with distance; rows without any are not planned."""
    width = max(1, *(len(goal) for goal in words))
    ids = torch.zeros(len(words), width, dtype=torch.long)
    weights = torch.zeros(len(words), width)
    for i, goal in enumerate(words):
        ids[i, : len(goal)] = torch.tensor(goal, dtype=torch.long)
        weights[i, : len(goal)] = decay ** torch.arange(len(goal))
    return Goals(ids.to(device), weights.to(device))


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


@dataclass(frozen=True, slots=True)
class Past:
    """Where a token is wanted, as planning through the cache sees it."""

    context: Tensor
    """(layers, 2, K, n, D): the context's keys and values."""
    text: Tensor
    """(layers, 2, K, n, D): those of the text so far."""
    last: int
    """The last token."""
    goal: tuple[int, ...]
    """The future words."""

    @classmethod
    def of(cls, cache: Cache, row: Slotted, columns: Sequence[int], last: int, goal: tuple[int, ...]) -> Past:
        """Take the keys and values of these columns of a row."""
        return cls(
            cache.contexts.context(row.context), cache.row_store[:, :, row.slot, :, list(columns)], last, goal
        )


def plan_through_cache(model: LanguageModel, pasts: Sequence[Past], config: InfillingConfig) -> Tensor:
    """Return the planned logits (B, V) of the next token after each past."""
    return torch.stack([_move_past(model, past, config) for past in pasts])


def _move_past(model: LanguageModel, given: Past, config: InfillingConfig) -> Tensor:
    """Move keys and values, then read the last token again: logits (V,)."""
    past = torch.cat([given.context, given.text], dim=3)[:, :, :, :-1]
    token = torch.tensor([given.last], device=model.device)
    position = torch.tensor([past.shape[3]], device=model.device)
    change = torch.zeros_like(past)
    if given.goal:
        norm = past.flatten(1).norm(dim=1)[:, None, None, None, None]  # (layers, 1, 1, 1, 1)
        goal = torch.tensor(given.goal, device=model.device)
        weights = config.decay ** torch.arange(len(goal), device=model.device)
        for _ in range(config.steps):
            with torch.enable_grad():
                moved = change.clone().requires_grad_(requires_grad=True)
                logits = model.logits(model.hidden(token, position, Continuation([past + moved], [1])))[
                    0
                ]  # (V,)
                embeddings = model.network.embeddings
                reward = reward_of(logits / config.xi, goal, weights, embeddings, config.reward)
                (gradient,) = torch.autograd.grad(reward, moved)
            length = gradient.flatten(1).norm(dim=1)[:, None, None, None, None].clamp_min(1e-12)
            change = change + config.eta * norm * gradient / length
    return model.logits(model.hidden(token, position, Continuation([past + change], [1])))[0]
