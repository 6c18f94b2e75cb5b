"""The next token of a fill: what may be written, what planning prefers, greedy or sampled."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from mars_score.infilling.planning import NEVER, Goals, Tables, plan, shortlist

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.config import InfillingConfig
    from mars_score.infilling.cache import Cache
    from mars_score.infilling.language_model import LanguageModel
    from mars_score.infilling.rows import Row, Strand

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
        self.tables = Tables(model.head.weight, model.model.get_input_embeddings().weight)
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
            from mars_score.infilling.kv_planning import plan_through_cache  # noqa: PLC0415  (rarely used)

            scores = plan_through_cache(self.model, heads, cache, self.config)  # (b, V)
            scores = scores.masked_fill(logits[index].isneginf(), NEVER)
            best = self._best(scores, noise if noise is None else noise[index])
        else:
            goals = self.goals([row for row, _ in heads])
            ids, scores = shortlist(logits, index, goals, self.config.shortlist)  # (b, C), (b, C)
            scores = plan(hidden[index], ids, scores, goals, self.tables, self.config)  # (b, C)
            found = self._best(scores, noise if noise is None else noise[index[:, None], ids])
            best = Choice(ids.gather(1, found.tokens[:, None])[:, 0], found.near)
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
            banned = [(i, token) for i, head in enumerate(heads) for token in _repeats(*head)]
            if banned:
                index, token = torch.tensor(banned, device=logits.device).T
                logits[index, token] = NEVER

    def goals(self, rows: Sequence[Row]) -> Goals:
        """Future words with their weights, decaying with distance; rows without any are not planned."""
        goals = [row.goal for row in rows]
        width = max(1, *(len(goal) for goal in goals))
        ids = torch.zeros(len(rows), width, dtype=torch.long)
        weights = torch.zeros(len(rows), width)
        for i, goal in enumerate(goals):
            ids[i, : len(goal)] = torch.tensor(goal, dtype=torch.long)
            weights[i, : len(goal)] = self.config.decay ** torch.arange(len(goal))
        device = self.tables.output.device
        return Goals(ids.to(device), weights.to(device))

    def _noise(self, heads: Sequence[Head]) -> Tensor:
        """Gumbel noise (B, V) of each row's own seed and step, so that a sample does not depend on the batch."""
        noise = []
        for row, strand in heads:
            seed = (row.job.salt * 1_000_003 + len(row.history) * 1_009 + len(strand.tokens)) % (1 << 63)
            uniform = torch.rand(self.tables.output.shape[0], generator=torch.Generator().manual_seed(seed))
            noise.append(-torch.log(-torch.log(uniform.clamp_(1e-9, 1 - 1e-7))))
        return torch.stack(noise).to(self.tables.output.device)


def _plans(row: Row, strand: Strand) -> bool:
    """Whether planning has a say: in a planned strand, and where one could still fork off."""
    return strand.planned or (row.limits.plan and len(row.strands) == 1 and bool(row.goal))


def _repeats(row: Row, strand: Strand) -> set[int]:
    """Tokens that would repeat the last token, or a pair of tokens that the text already has."""
    history = [*row.history, *strand.tokens]
    if not history:
        return set()
    last = history[-1]
    return {last} | {after for token, after in itertools.pairwise(history) if token == last}
