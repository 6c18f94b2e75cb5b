"""The paper's literal form (Appendix B): generate, judge, revise.

Each round

    1. grows    every strand that is filling a blank: chooses its next token from the last hidden state
    2. reads    in one forward pass what every row needs next, whatever that is: the tokens just chosen,
                the next block after each guess at a fill (to judge it), or text up to the next blank
    3. judges   which guess at a fill makes the text around it most probable

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

from mars_score.infilling.decoder import state
from mars_score.infilling.decoder.batch import HEAD_ROWS, HEADS, Batch
from mars_score.infilling.decoder.state import END, Phase, Row, Strand

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torch import Tensor

    from mars_score.infilling.decoder.engine import Counts, DecodingEngine
    from mars_score.infilling.decoder.kv_cache import Cache
    from mars_score.infilling.decoder.state import Guess, Job, NewTokens
    from mars_score.infilling.planning import Choice, Head
    from mars_score.lm.causal import LanguageModel

Move = tuple[int, int, int]
"""A cache column to copy: (slot, from, to)."""
Token = tuple[int, float, bool]
"""A token, its NLL under the model itself, and whether another one came near."""


class GreedyBatch(Batch[Row]):
    """The paper's literal form: one fill of each policy, its lengths judged by the mean likelihood."""

    def _begin(self, jobs: list[Job], number: int, length: int, state: Tensor) -> list[Row]:
        rows = [Row(job, self.engine.limits, self.free.pop(), number, length) for job in jobs]
        for row in rows:
            row.hidden = torch.stack([state, state])  # (2, H)
        return rows

    def _round(self) -> None:
        """Let every row take its next step, all in one forward pass."""
        growing = [row for row in self.active if row.phase is Phase.GENERATE]
        grown = grow(self.engine, growing, self.cache) if growing else {}
        batch: list[NewTokens[Row]] = []
        for row in self.active:
            if row.phase is Phase.GENERATE:
                batch.append(state.growing(row, grown[row.slot]))
            elif row.phase is Phase.JUDGE:
                batch.append(state.judging(row))
            elif row.phase is Phase.READ:
                batch.append(state.reading(row))
        if not batch:
            return
        before = torch.stack([new.row.hidden[0] for new in batch])  # (B, H): predicts the first pending token
        ids, positions, view = self.cache.step(batch)
        hidden = self.engine.model.hidden(ids, positions, view)  # (T, H)
        self._keep(batch, grown, hidden)
        self.cache.move(score_and_choose(self.engine.model, batch, before, hidden, self.engine.counts))

    def _keep(self, batch: list[NewTokens[Row]], grown: dict[int, list[Strand]], hidden: Tensor) -> None:
        """Note the hidden states that the next round starts from."""
        start = 0
        for new in batch:
            row, end = new.row, start + len(new.ids)
            if row.phase is Phase.GENERATE:
                numbers = [row.strands.index(strand) for strand in grown[row.slot]]
                row.hidden[numbers] = hidden[start:end]
                self.engine.counts.generated += len(new.ids)
            else:  # of a judged row too, though it reads on before this is used
                row.hidden[0] = hidden[end - 1]
            start = end


def grow(engine: DecodingEngine, rows: list[Row], cache: Cache) -> dict[int, list[Strand]]:
    """Let strands write their next token; return by slot which did.

    Rows whose strands are all at their limit go to be judged instead.
    """
    full = [row for row in rows if all(len(strand.tokens) == row.limit for strand in row.strands)]
    heads = [(row, strand) for row in rows for strand in row.strands]
    states = torch.stack([row.hidden[row.strands.index(strand)] for row, strand in heads])  # (B, H)
    grown: dict[int, list[Strand]] = {}
    for start in range(0, len(heads), HEADS):
        _write(engine, heads[start : start + HEADS], states[start : start + HEADS], cache, grown)
    moves: list[Move] = []
    for row in full:
        end_blank(row, moves)
    cache.move(moves)
    return grown


def _write(
    engine: DecodingEngine, heads: list[Head], hidden: Tensor, cache: Cache, grown: dict[int, list[Strand]]
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

    for (row, strand), plain_token, planned_token in zip(heads, listed(plain), listed(planned), strict=True):
        grown.setdefault(row.slot, []).extend(_write_token(row, strand, plain_token, planned_token))


def _next_block_nll(engine: DecodingEngine, heads: list[Head], logits: Tensor, total: Tensor) -> list[float]:
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
            targets += [row.following[offset + 1] for _, offset in row.branches]
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
