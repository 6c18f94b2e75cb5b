"""One batch of templates on its way through the network, round by round.

Each round does one of

    1. admit   read new contexts (each once, for all of its templates) and give their rows slots
    2. grow    choose one more token for every strand that is filling a blank, and read it
    3. settle  read pending text and judge finished fills, all rows together in one forward

and lets the rows go whose last blank is decided.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING

import torch

from mars_score.infilling import cache as layout
from mars_score.infilling import judge
from mars_score.infilling.attention import Prefill
from mars_score.infilling.cache import Cache, NewTokens
from mars_score.infilling.rows import END, Job, Phase, Row, Strand

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torch import Tensor

    from mars_score.infilling.choosing import Choice, Head
    from mars_score.infilling.engine import Engine

HEAD_ROWS = 128
"""Positions that go through the output head at once: bounds the (N, V) logits."""
SETTLE_TOKENS = 160
"""Judging waits until this many tokens have gathered, unless no row can grow meanwhile."""
PREFILL_TOKENS = 512
"""Contexts are read together up to this many tokens."""

Move = tuple[int, int, int]
"""A cache column to copy: (slot, from, to)."""


@dataclass(slots=True)
class Decoding:
    """The state of a batch."""

    engine: Engine
    groups: list[list[Job]]
    """Jobs by context; templates of one context are read together."""
    queue: deque[list[Job]] = field(init=False)
    cache: Cache = field(init=False)
    hidden: Tensor = field(init=False)
    """(R, 2, H) hidden state of the last token of each row, or of its strands while it fills a blank."""
    free: list[int] = field(init=False)
    active: list[Row] = field(default_factory=list)
    """Ordered by context, as attention wants them."""
    admitted: int = 0

    def __post_init__(self) -> None:
        model = self.engine.model
        jobs = [job for group in self.groups for job in group]
        columns = max(self.engine.columns(job) for job in jobs)
        budget = max(1, self.engine.memory // 2 // (columns * model.kv_bytes))
        rows = min(self.engine.max_rows, len(jobs), budget)
        self.queue = deque(
            group[start : start + rows] for group in self.groups for start in range(0, len(group), rows)
        )
        self.cache = Cache(model, rows, columns)
        self.hidden = torch.zeros(
            rows, 2, model.head.weight.shape[1], dtype=model.head.weight.dtype, device=model.device
        )
        self.free = list(range(rows))

    def finish(self) -> Iterator[Row]:
        """Yield every row as it is done."""
        while self.queue or self.active:
            self._admit()
            growing = [row for row in self.active if row.phase is Phase.GENERATE]
            waiting = [row for row in self.active if row.phase in (Phase.READ, Phase.JUDGE)]
            if growing and sum(len(row.pending) or len(row.branches) for row in waiting) < SETTLE_TOKENS:
                self._grow(growing)
            elif waiting:
                self._settle(waiting)
            yield from self._retire()

    def _admit(self) -> None:
        """Give free slots to waiting jobs while their contexts fit, and read these contexts."""
        budget = self.engine.memory // 2 // self.engine.model.kv_bytes
        held = sum(context.shape[3] for context in self.cache.contexts.values())
        fresh: list[tuple[int, tuple[int, ...]]] = []
        while self.queue and len(self.queue[0]) <= len(self.free):
            context = self.queue[0][0].context
            if held + len(context) > budget and self.active:
                break
            held += len(context)
            for job in self.queue.popleft():
                self.active.append(Row(job, self.engine.limits, self.free.pop(), self.admitted, len(context)))
                self.engine.counts.rows += 1
            fresh.append((self.admitted, context))
            self.admitted += 1
            if sum(len(ids) for _, ids in fresh) >= PREFILL_TOKENS:
                self._prefill(fresh)
                fresh = []
        if fresh:
            self._prefill(fresh)

    def _prefill(self, contexts: list[tuple[int, tuple[int, ...]]]) -> None:
        """Read contexts; their rows start from the last token's hidden state."""
        model, device = self.engine.model, self.engine.model.device
        lengths = [len(ids) for _, ids in contexts]
        stores = [self.cache.new_context(length) for length in lengths]
        ids = torch.tensor([i for _, context in contexts for i in context], device=device)
        positions = torch.cat([torch.arange(length, device=device) for length in lengths])
        hidden = model.hidden(ids, positions, Prefill(lengths, stores))  # (T, H)
        ends = (torch.tensor(lengths).cumsum(0) - 1).tolist()
        for (number, _), store, end in zip(contexts, stores, ends, strict=True):
            self.cache.contexts[number] = store
            slots = [row.slot for row in self.active if row.context == number]
            self.hidden[slots, 0] = hidden[end]
        self.engine.counts.prefilled += len(ids)

    def _grow(self, rows: list[Row]) -> None:
        """Choose the next token of each strand; rows whose strands are all at their limit go to be judged."""
        heads = [(row, strand) for row in rows for strand in row.strands]
        hidden = self.hidden[self._places(heads)]  # (B, H)
        logits = self.engine.model.logits(hidden)  # (B, V)
        total = logits.logsumexp(-1)  # (B,)
        first = torch.tensor([row.following[0] for row, _ in heads], device=logits.device)
        closing = logits[:, self.engine.model.vocabulary.closing].logsumexp(-1)  # (B,)
        wanted = torch.where(first == END, closing, logits.gather(1, first.clamp_min(0)[:, None])[:, 0])
        for (_, strand), nll in zip(heads, (total - wanted).tolist(), strict=True):
            if strand.tokens:
                strand.first_nll.append(nll)
        going = [i for i, (row, strand) in enumerate(heads) if len(strand.tokens) < row.limit]
        for row in rows:
            if all(len(strand.tokens) == row.limit for strand in row.strands):
                self._end_blank(row)
        if going:
            heads = [heads[i] for i in going]
            if len(going) < len(hidden):
                hidden, logits, total = hidden[going], logits[going], total[going]
            self._write(heads, hidden, logits, total)

    def _write(self, heads: list[Head], hidden: Tensor, logits: Tensor, total: Tensor) -> None:
        """Let every strand write a token, fork those that planning leads elsewhere, and read what is new."""
        plain, planned = self.engine.chooser.choose(heads, hidden, logits, self.cache)

        def listed(choice: Choice) -> Iterable[tuple[int, float, bool]]:
            """(token, NLL under the model itself, near-tie) for each head."""
            nll = total - logits.gather(1, choice.tokens[:, None])[:, 0]  # (B,)
            return zip(choice.tokens.tolist(), nll.tolist(), choice.near.tolist(), strict=True)

        choices = listed(plain)
        others = repeat((-1, 0.0, False)) if planned is None else listed(planned)
        written: dict[int, tuple[Row, list[Strand]]] = {}
        for (row, strand), (token, nll, near), (other, other_nll, other_near) in zip(
            heads, choices, others, strict=False
        ):
            grown = [strand]
            if strand.planned:
                strand.write(other, row.take_column(), other_nll)
                row.uncertain |= other_near
            else:
                forks = planned is not None and bool(row.goal) and len(row.strands) == 1
                if forks and other != token:
                    fork = strand.fork()
                    fork.write(other, row.take_column(), other_nll)
                    row.strands.append(fork)
                    self.hidden[row.slot, 1] = self.hidden[row.slot, 0]
                    grown.append(fork)
                strand.write(token, row.take_column(), nll)
                row.uncertain |= near or (forks and other_near)
            written.setdefault(row.slot, (row, []))[1].extend(grown)
        batch = [layout.growing(row, strands) for row, strands in written.values()]
        fresh = [(row, strand) for row, strands in written.values() for strand in strands]
        self.hidden[self._places(fresh)] = self._read(batch)
        self.engine.counts.generated += len(fresh)

    def _places(self, heads: list[Head]) -> tuple[list[int], list[int]]:
        """Where the hidden states of strands are kept."""
        return [row.slot for row, _ in heads], [row.strands.index(strand) for row, strand in heads]

    def _end_blank(self, row: Row) -> None:
        """Shortlist the guesses; where one token of the next block is all there is to see, decide at once."""
        row.kept, near = judge.shortlist(row)
        row.uncertain |= near
        row.phase = Phase.JUDGE
        if row.window == 1:
            moves: list[Move] = []
            self._decide(row, [judge.first_nll(row, guess) for guess in row.kept], moves)
            self.cache.move(moves)

    def _settle(self, rows: list[Row]) -> None:
        """Read pending text and judge fills, all in one forward."""
        batch = [layout.reading(row) if row.phase is Phase.READ else layout.judging(row) for row in rows]
        before = self.hidden[[row.slot for row in rows], 0]  # (B, H): predicts the first pending token
        hidden = self._read(batch)  # (T, H)
        ends = torch.tensor([len(new.ids) for new in batch]).cumsum(0) - 1
        self.hidden[[row.slot for row in rows], 0] = hidden[ends]  # judged rows read on before it is used
        sources: list[Tensor] = []
        targets: list[int] = []
        start = 0
        for index, new in enumerate(batch):
            row, states = new.row, hidden[start : start + len(new.ids)]
            start += len(new.ids)
            if row.phase is Phase.READ:
                skip = row.pending_judged
                sources.append(states[:-1] if skip else torch.cat([before[index : index + 1], states[:-1]]))
                targets += new.ids[1:] if skip else new.ids
            else:
                sources.append(states)
                targets += [row.following[place + 1] for _, place in row.branches]
        losses = deque(self._losses(torch.cat(sources), targets))
        moves: list[Move] = []
        for new in batch:
            row = new.row
            if row.phase is Phase.READ:
                count = len(new.ids) - row.pending_judged
                row.has_read(math.fsum(losses.popleft() for _ in range(count)))
                self.engine.counts.read += len(new.ids)
            else:
                width = row.window - 1
                window = [
                    judge.first_nll(row, guess) + math.fsum(losses.popleft() for _ in range(width))
                    for guess in row.kept
                ]
                self.engine.counts.judged += len(new.ids)
                self._decide(row, window, moves)
        self.cache.move(moves)

    def _decide(self, row: Row, window: list[float], moves: list[Move]) -> None:
        """Keep the best guess and note which columns of the cache to bring into the order of the text."""
        number, near = judge.best(row, window)
        row.uncertain |= near
        guess, width = row.kept[number], row.window - 1
        branch = row.used + number * width
        sources = [*row.strands[guess.strand].columns[: guess.length], *range(branch, branch + width)]
        moves += [(row.slot, source, row.length + i) for i, source in enumerate(sources)]
        row.choose(guess, window[number])

    def _read(self, batch: list[NewTokens]) -> Tensor:
        """Run new tokens through the network: hidden states (T, H)."""
        ids, positions, view = self.cache.step(batch)
        return self.engine.model.hidden(ids, positions, view)

    def _losses(self, hidden: Tensor, targets: list[int]) -> list[float]:
        """Negative log-likelihood of each target under its hidden state."""
        losses: list[float] = []
        wanted = torch.tensor(targets, dtype=torch.long, device=hidden.device)
        for states, target in zip(hidden.split(HEAD_ROWS), wanted.split(HEAD_ROWS), strict=True):
            logits = self.engine.model.logits(states)  # (n, V)
            losses += (logits.logsumexp(-1) - logits.gather(1, target[:, None])[:, 0]).tolist()
        return losses

    def _retire(self) -> list[Row]:
        """Take finished rows out, and contexts that no row needs any more."""
        finished = [row for row in self.active if row.phase is Phase.DONE]
        if finished:
            self.active = [row for row in self.active if row.phase is not Phase.DONE]
            self.free += [row.slot for row in finished]
            needed = {row.context for row in self.active}
            self.cache.contexts = {
                number: store for number, store in self.cache.contexts.items() if number in needed
            }
        return finished
