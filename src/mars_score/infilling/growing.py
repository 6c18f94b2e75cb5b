"""One more token for every strand that is filling a blank, and what the next block thinks of the fill so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from mars_score.infilling import judge
from mars_score.infilling.rows import END, Row, Strand

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

    from mars_score.infilling.cache import Cache
    from mars_score.infilling.choosing import Choice, Head
    from mars_score.infilling.engine import Engine

HEADS = 48
"""Strands whose next tokens are chosen together. Numbers for every word of the vocabulary take memory, and what
planning reads six times should stay in the processor's cache."""

Token = tuple[int, float, bool]
"""A token, its NLL under the model itself, and whether another one came near."""


def grow(engine: Engine, rows: list[Row], hidden: Tensor, cache: Cache) -> dict[int, list[Strand]]:
    """Let strands write their next token, given the states (R, 2, H) of all slots; return by slot which did.

    Rows whose strands are all at their limit go to be judged instead.
    """
    full = [row for row in rows if all(len(strand.tokens) == row.limit for strand in row.strands)]
    heads = [(row, strand) for row in rows for strand in row.strands]
    slots, numbers = [row.slot for row, _ in heads], [row.strands.index(strand) for row, strand in heads]
    states = hidden[slots, numbers]  # (B, H)
    grown: dict[int, list[Strand]] = {}
    for start in range(0, len(heads), HEADS):
        _write(engine, heads[start : start + HEADS], states[start : start + HEADS], cache, grown)
    moves: list[judge.Move] = []
    for row in full:
        judge.end_blank(row, moves)
    cache.move(moves)
    return grown


def _write(
    engine: Engine, heads: list[Head], hidden: Tensor, cache: Cache, grown: dict[int, list[Strand]]
) -> None:
    """Note how well the next block would follow each strand, and write its next token if there is room."""
    logits = engine.model.logits(hidden)  # (B, V)
    total = logits.logsumexp(-1)  # (B,)
    for (_, strand), nll in zip(heads, _next_block_nll(engine, heads, logits, total), strict=True):
        if strand.tokens:
            strand.first_nll.append(nll)
    going = [i for i, (row, strand) in enumerate(heads) if len(strand.tokens) < row.limit]
    if not going:
        return
    if len(going) < len(heads):
        heads = [heads[i] for i in going]
        hidden, logits, total = hidden[going], logits[going], total[going]
    plain, planned = engine.chooser.choose(heads, hidden, logits, cache)

    def listed(choice: Choice) -> Iterable[Token]:
        nll = total - logits.gather(1, choice.tokens[:, None])[:, 0]  # (B,)
        return zip(choice.tokens.tolist(), nll.tolist(), choice.near.tolist(), strict=True)

    for (row, strand), one, other in zip(heads, listed(plain), listed(planned), strict=True):
        grown.setdefault(row.slot, []).extend(_write_token(row, strand, one, other))


def _next_block_nll(engine: Engine, heads: list[Head], logits: Tensor, total: Tensor) -> list[float]:
    """NLL of the next block's first token, or of the text's end, after each strand."""
    first = torch.tensor([row.following[0] for row, _ in heads], device=logits.device)
    wanted = logits.gather(1, first.clamp_min(0)[:, None])[:, 0]  # (B,)
    last = [i for i, (row, _) in enumerate(heads) if row.following[0] == END]
    if last:
        closing = engine.model.vocabulary.closing  # (n,)
        index = torch.tensor(last, device=logits.device)
        wanted[index] = logits[index[:, None], closing].logsumexp(-1)
    nll: list[float] = (total - wanted).tolist()
    return nll


def _write_token(row: Row, strand: Strand, plain: Token, planned: Token) -> list[Strand]:
    """Write a strand's token; it forks where planning leads elsewhere. Return the strands that have grown."""
    (token, nll, near), (other, other_nll, other_near) = plain, planned
    if strand.planned:
        strand.write(other, row.take_column(), other_nll)
        row.uncertain |= other_near
        return [strand]
    row.uncertain |= near or other_near
    grown = [strand]
    if other != token:
        fork = strand.fork()
        fork.write(other, row.take_column(), other_nll)
        row.strands.append(fork)
        grown.append(fork)
    strand.write(token, row.take_column(), nll)
    return grown
