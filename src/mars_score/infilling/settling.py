"""After a forward pass: what the text that was read costs, and which guess at a fill it bears out."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import torch

from mars_score.infilling import judge
from mars_score.infilling.rows import Phase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.infilling.engine import Counts
    from mars_score.infilling.judge import Move
    from mars_score.infilling.language_model import LanguageModel
    from mars_score.infilling.layout import NewTokens

HEAD_ROWS = 128
"""Positions that go through the output head at once: bounds the (N, V) logits."""


def settle(
    model: LanguageModel, batch: Sequence[NewTokens], before: Tensor, hidden: Tensor, counts: Counts
) -> list[Move]:
    """Score the text that was read, and decide the blanks whose guesses were; return the columns to move.

    `hidden` (T, H) are the states of the batch's tokens, `before` (B, H) those that each row started from.
    """
    sources: list[Tensor] = []
    targets: list[int] = []
    start = 0
    settled: list[NewTokens] = []
    for index, new in enumerate(batch):
        row, states = new.row, hidden[start : start + len(new.ids)]
        start += len(new.ids)
        if row.phase is Phase.GENERATE:
            continue
        settled.append(new)
        if row.phase is Phase.READ:
            skip = row.pending_judged
            sources.append(states[:-1] if skip else torch.cat([before[index : index + 1], states[:-1]]))
            targets += new.ids[1:] if skip else new.ids
        else:
            sources.append(states)
            targets += [row.following[place + 1] for _, place in row.branches]
    if not settled:
        return []
    losses = deque(_losses(model, torch.cat(sources), targets))
    moves: list[Move] = []
    for new in settled:
        row = new.row
        if row.phase is Phase.READ:
            count = len(new.ids) - row.pending_judged
            row.has_read(math.fsum(losses.popleft() for _ in range(count)))
            counts.read += len(new.ids)
        else:
            width = row.window - 1
            window = [
                judge.first_nll(row, guess) + math.fsum(losses.popleft() for _ in range(width))
                for guess in row.kept
            ]
            counts.judged += len(new.ids)
            judge.decide(row, window, moves)
    return moves


def _losses(model: LanguageModel, hidden: Tensor, targets: list[int]) -> list[float]:
    """Negative log-likelihood of each target under its hidden state."""
    losses: list[float] = []
    wanted = torch.tensor(targets, dtype=torch.long, device=hidden.device)
    for states, target in zip(hidden.split(HEAD_ROWS), wanted.split(HEAD_ROWS), strict=True):
        logits = model.logits(states)  # (n, V)
        losses += (logits.logsumexp(-1) - logits.gather(1, target[:, None])[:, 0]).tolist()
    return losses
