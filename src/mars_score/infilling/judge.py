"""Generate, judge, revise (Appendix B): which guess at a fill makes the text around it most probable.

A guess is the first few tokens of a strand. It is judged by the mean negative log-likelihood of the
reference so far, the guess and the next block (the logarithm of the paper's PPL). Two numbers make that
affordable, and are 0 in the paper's exact form: `judge_window` looks at the next block's first tokens
only, and `judge_keep` looks beyond the first of them for the best few guesses only. The first token costs
nothing: growing a fill has already computed its probability after every length.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import torch

from mars_score.infilling.decoder.state import Phase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.infilling.decoder.engine import Counts
    from mars_score.infilling.decoder.state import Guess, NewTokens, Row
    from mars_score.lm.causal import LanguageModel

TIE = {"float32": 1e-5, "float16": 0.02, "bfloat16": 0.1}
"""Mean log-likelihoods nearer than this could be ordered by the rounding of another batch shape."""

Move = tuple[int, int, int]
"""A cache column to copy: (slot, from, to)."""
HEAD_ROWS = 128
"""Positions that go through the output head at once: bounds the (N, V) logits."""


def score_and_choose(
    model: LanguageModel, batch: Sequence[NewTokens[Row]], before: Tensor, hidden: Tensor, counts: Counts
) -> list[Move]:
    """Score the text that was read, and decide the blanks whose guesses were; return the columns to move.

    `hidden` (T, H) are the states of the batch's tokens, `before` (B, H) those that each row started from.
    """
    sources: list[Tensor] = []
    targets: list[int] = []
    start = 0
    scored: list[NewTokens[Row]] = []
    for index, new in enumerate(batch):
        row, states = new.row, hidden[start : start + len(new.ids)]
        start += len(new.ids)
        if row.phase is Phase.GENERATE:
            continue
        scored.append(new)
        if row.phase is Phase.READ:
            skip = row.pending_judged
            sources.append(states[:-1] if skip else torch.cat([before[index : index + 1], states[:-1]]))
            targets += new.ids[1:] if skip else new.ids
        else:
            sources.append(states)
            targets += [row.following[place + 1] for _, place in row.branches]
    if not scored:
        return []
    losses = deque(_losses(model, torch.cat(sources), targets))
    moves: list[Move] = []
    for new in scored:
        row = new.row
        if row.phase is Phase.READ:
            count = len(new.ids) - row.pending_judged
            row.has_read(math.fsum(losses.popleft() for _ in range(count)))
            counts.read += len(new.ids)
        else:
            width = row.window - 1
            window = [
                first_nll(row, guess) + math.fsum(losses.popleft() for _ in range(width))
                for guess in row.kept
            ]
            counts.judged += len(new.ids)
            choose_best(row, window, moves)
    return moves


def _losses(model: LanguageModel, hidden: Tensor, targets: list[int]) -> list[float]:
    """Negative log-likelihood of each target under its hidden state."""
    losses: list[float] = []
    wanted = torch.tensor(targets, dtype=torch.long, device=hidden.device)
    for states, target in zip(hidden.split(HEAD_ROWS), wanted.split(HEAD_ROWS), strict=True):
        logits = model.logits(states)  # (n, V)
        losses += (logits.logsumexp(-1) - logits.gather(1, target[:, None])[:, 0]).tolist()
    return losses


def end_blank(row: Row, moves: list[Move]) -> None:
    """Shortlist the guesses; where one token of the next block is all there is to see, decide at once."""
    row.kept, near = shortlist(row)
    row.uncertain |= near
    row.phase = Phase.JUDGE
    if row.window == 1:
        choose_best(row, [first_nll(row, guess) for guess in row.kept], moves)


def choose_best(row: Row, window: Sequence[float], moves: list[Move]) -> None:
    """Keep the best guess and note which columns of the cache to bring into the order of the text.

    `window` is, for each guess that was kept, the NLL of the following block's first tokens after it.
    """
    number, near = best(row, window)
    row.uncertain |= near
    guess, width = row.kept[number], row.window - 1
    branch = row.used + number * width
    sources = [*row.strands[guess.strand].columns[: guess.length], *range(branch, branch + width)]
    moves += [(row.slot, source, row.length + i) for i, source in enumerate(sources)]
    row.choose(guess, window[number])


def shortlist(row: Row) -> tuple[list[Guess], bool]:
    """Return the guesses worth a closer look, in their order, and whether the cut was a near-tie."""
    guesses, keep = row.guesses, row.limits.keep
    if not keep or keep >= len(guesses) or row.window == 1:
        return guesses, False
    means = [mean_nll(row, guess, first_nll(row, guess), 1) for guess in guesses]
    order = sorted(range(len(guesses)), key=lambda i: (means[i], i))
    near = means[order[keep]] - means[order[keep - 1]] < row.limits.tie
    return [guesses[i] for i in sorted(order[:keep])], near


def best(row: Row, window_nll: Sequence[float]) -> tuple[int, bool]:
    """Return the index into `row.kept` of the best guess, and whether a second one came near."""
    means = [mean_nll(row, guess, nll, row.window) for guess, nll in zip(row.kept, window_nll, strict=True)]
    order = sorted(range(len(means)), key=lambda i: (means[i], i))
    near = len(order) > 1 and means[order[1]] - means[order[0]] < row.limits.tie
    return order[0], near


def first_nll(row: Row, guess: Guess) -> float:
    """NLL of the next block's first token after a guess."""
    return row.strands[guess.strand].first_nll[guess.length - 1]


def mean_nll(row: Row, guess: Guess, following_nll: float, following: int) -> float:
    """Mean NLL of the reference so far, the guess and `following` tokens of the next block."""
    total = row.nll + row.strands[guess.strand].nll[guess.length - 1] + following_nll
    return total / (row.counted + guess.length + following)
