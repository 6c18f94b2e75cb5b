"""The next token of a fill: what may be written, what planning prefers, greedy or sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from mars_score.infilling.planning import NEVER, Goals, plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.config import InfillingConfig
    from mars_score.infilling.cache import Cache
    from mars_score.infilling.language_model import LanguageModel
    from mars_score.infilling.rows import Row

TIE = {"float32": 2e-4, "float16": 0.1, "bfloat16": 0.5}
"""Scores nearer than this could be ordered by the rounding of another batch shape."""


class Chooser:
    """Chooses one token a row."""

    def __init__(self, model: LanguageModel, config: InfillingConfig) -> None:
        """Look up the model's tables once."""
        self.model, self.config = model, config
        self.output: Tensor = model.head.weight  # (V, H)
        self.embeddings: Tensor = model.model.get_input_embeddings().weight  # (V, H)
        self.unwritable = ~model.vocabulary.writable  # (V,)
        self.tie = TIE[config.dtype]

    def choose(
        self, rows: Sequence[Row], hidden: Tensor, logits: Tensor, cache: Cache
    ) -> tuple[Tensor, Tensor]:
        """Return a token for each row (B,) and whether another one came near (B,)."""
        scores = self.permitted(rows, logits)  # (B, V)
        ids: Tensor | None = None
        if self.config.planner != "off" and any(row.goal for row in rows):
            if self.config.planner == "kv":
                from mars_score.infilling.kv_planning import plan_through_cache  # noqa: PLC0415

                planned = plan_through_cache(self.model, rows, cache, self.config)  # (B, V)
                scores = torch.where(scores.isfinite(), planned, scores)
            else:
                scores, ids = plan(
                    hidden, scores, self.goals(rows), self.output, self.embeddings, self.config
                )  # (B, C)
        if self.config.temperature:
            scores = scores / self.config.temperature + self._noise(rows, ids, scores)
        top = scores.topk(2, dim=-1)
        best = top.indices[:, 0] if ids is None else ids.gather(1, top.indices[:, :1])[:, 0]
        return best, top.values[:, 0] - top.values[:, 1] < self.tie

    def permitted(self, rows: Sequence[Row], logits: Tensor) -> Tensor:
        """Logits (B, V) with -inf for every token that a row must not write now."""
        scores = logits.masked_fill(self.unwritable, NEVER)
        grown = [i for i, row in enumerate(rows) if not row.fill and row.job.blocks[row.block].inside_word]
        if grown:
            scores[grown] = scores[grown].masked_fill(self.model.vocabulary.opens_word, NEVER)
        if self.config.no_repeat:
            banned = [(i, token) for i, row in enumerate(rows) for token in _repeats(row)]
            if banned:
                index, token = torch.tensor(banned, device=scores.device).T
                scores[index, token] = NEVER
        return scores

    def goals(self, rows: Sequence[Row]) -> Goals:
        """Future words with their weights, decaying with distance; rows without any are not planned."""
        goals = [row.goal for row in rows]
        width = max(1, *(len(goal) for goal in goals))
        ids = torch.zeros(len(rows), width, dtype=torch.long)
        weights = torch.zeros(len(rows), width)
        for i, goal in enumerate(goals):
            ids[i, : len(goal)] = torch.tensor(goal, dtype=torch.long)
            weights[i, : len(goal)] = self.config.decay ** torch.arange(len(goal))
        device = self.output.device
        return Goals(ids.to(device), weights.to(device))

    def _noise(self, rows: Sequence[Row], ids: Tensor | None, scores: Tensor) -> Tensor:
        """Gumbel noise of each row's own seed and step, so that sampling does not depend on the batch."""
        noise = []
        for i, row in enumerate(rows):
            seed = (row.job.salt * 1_000_003 + len(row.history) * 1_009 + len(row.fill)) % (1 << 63)
            generator = torch.Generator().manual_seed(seed)
            uniform = torch.rand(self.output.shape[0], generator=generator).clamp_(1e-9, 1 - 1e-7)
            gumbel = -torch.log(-torch.log(uniform)).to(scores.device)
            noise.append(gumbel if ids is None else gumbel[ids[i]])
        return torch.stack(noise)


def _repeats(row: Row) -> set[int]:
    """Tokens that would repeat the last token, or a pair of tokens that the text already has."""
    history = [*row.history, *row.fill]
    if not history:
        return set()
    last = history[-1]
    return {last} | {after for token, after in zip(history, history[1:], strict=False) if token == last}
