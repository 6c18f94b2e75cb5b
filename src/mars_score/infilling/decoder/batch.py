"""One batch of templates on its way through the network, round by round.

Rows wait for each other nowhere. Each round

    1. admits   new rows into free slots and reads their contexts, each once for all of its templates
    2. grows    every strand that is filling a blank: chooses its next token from the last hidden state
    3. reads    in one forward pass what every row needs next, whatever that is: the tokens just chosen,
                the next block after each guess at a fill (to judge it), or text up to the next blank
    4. retires  the rows whose last blank is decided
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

import torch

from mars_score.infilling import judge
from mars_score.infilling.decoder import state
from mars_score.infilling.decoder.kv_cache import NARROW, Cache
from mars_score.infilling.decoder.state import END, Job, Phase, Row, Slotted, Strand
from mars_score.lm.attention import Prefill
from mars_score.storage.lru import malloc_trim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torch import Tensor

    from mars_score.infilling.decoder.engine import DecodingEngine
    from mars_score.infilling.decoder.state import NewTokens
    from mars_score.infilling.planning import Choice, Head

PREFILL_TOKENS = 1024
"""Contexts are read together up to this many tokens."""
LIKE_LENGTH = 1.5
"""Contexts share a panel unless one is longer than another by more than this factor."""
HEADS = 48
"""Strands whose next tokens are chosen together. Numbers for every word of the vocabulary take memory, and what
planning reads six times should stay in the processor's cache."""

Token = tuple[int, float, bool]
"""A token, its NLL under the model itself, and whether another one came near."""


class BatchRow(Slotted, Protocol):
    """What a batch asks of its rows."""

    job: Job
    uncertain: bool

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""

    @property
    def ranked(self) -> list[tuple[tuple[int, ...], ...]]:
        """The fills of each text that was found, the best first."""


AnyRow = TypeVar("AnyRow", bound=BatchRow)


@dataclass
class Batch(ABC, Generic[AnyRow]):
    """Rows in flight: slots, contexts, who comes and who goes. What rows do in a round is left to its kinds."""

    engine: DecodingEngine
    groups: list[list[Job]]
    """Jobs by context; templates of one context are read together."""
    queue: deque[list[Job]] = field(init=False)
    cache: Cache = field(init=False)
    free: list[int] = field(init=False)
    active: list[AnyRow] = field(default_factory=list)
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
        self.cache = Cache(model, rows, columns, self.widths)
        self.free = list(range(rows))

    widths: ClassVar[tuple[int, ...]] = NARROW

    @abstractmethod
    def _begin(self, jobs: list[Job], number: int, length: int, state: Tensor) -> list[AnyRow]:
        """Rows for jobs that share a context of this number and length, whose last hidden state (H,) is given."""

    @abstractmethod
    def _round(self) -> None:
        """Let every row take its next step, all in one forward pass."""

    def finish(self) -> Iterator[AnyRow]:
        """Yield every row as it is done."""
        while self.queue or self.active:
            # Contexts are read a good many at a time: slots are filled when a quarter of them are free.
            if self.queue and (not self.active or 4 * len(self.free) >= self.cache.rows):
                self._admit()
            self._round()
            yield from self._retire()

    def _admit(self) -> None:
        """Give free slots to waiting jobs while their contexts fit, and read these contexts."""
        malloc_trim()
        budget = self.engine.memory // 2 // self.engine.model.kv_bytes
        held, free = self.cache.contexts.tokens, len(self.free)
        chosen: list[list[Job]] = []
        while self.queue and len(self.queue[0]) <= free:
            held += len(self.queue[0][0].context)
            if held > budget and (self.active or chosen):
                break
            free -= len(self.queue[0])
            chosen.append(self.queue.popleft())
        chosen.sort(key=lambda group: len(group[0].context))
        panel: list[list[Job]] = []
        for group in chosen:
            if panel and len(group[0].context) > LIKE_LENGTH * len(panel[0][0].context):
                self._prefill(panel)
                panel = []
            panel.append(group)
        if panel:
            self._prefill(panel)

    def _prefill(self, groups: list[list[Job]]) -> None:
        """Read contexts of like length; their rows start from the last token's hidden state."""
        lengths = [len(group[0].context) for group in groups]
        numbers = list(range(self.admitted, self.admitted + len(groups)))
        self.admitted += len(groups)
        panel = self.cache.contexts.add(numbers, lengths)
        start = 0
        for end in range(1, len(groups) + 1):
            if end == len(groups) or sum(lengths[start : end + 1]) > PREFILL_TOKENS:
                some = slice(start, end)
                self._read_contexts(groups[some], numbers[some], panel.store[:, :, some])
                start = end

    def _read_contexts(self, groups: list[list[Job]], numbers: list[int], store: Tensor) -> None:
        """Read contexts in one forward pass, and let the rows begin that have them."""
        model, device = self.engine.model, self.engine.model.device
        contexts = [group[0].context for group in groups]
        lengths = [len(context) for context in contexts]
        ids = torch.tensor([i for context in contexts for i in context], device=device)
        positions = torch.cat([torch.arange(length, device=device) for length in lengths])
        hidden = model.hidden(ids, positions, Prefill(lengths, store.unbind(2)))  # (T, H)
        ends = (torch.tensor(lengths).cumsum(0) - 1).tolist()
        for number, group, length, end in zip(numbers, groups, lengths, ends, strict=True):
            self.active += self._begin(group, number, length, hidden[end])
            self.engine.counts.rows += len(group)
        self.engine.counts.prefilled += len(ids)

    def _retire(self) -> list[AnyRow]:
        """Take finished rows out; what they held shrinks once half of it is idle and nothing waits for it."""
        finished = [row for row in self.active if row.finished]
        if finished:
            self.active = [row for row in self.active if not row.finished]
            self.free += [row.slot for row in finished]
            self.cache.contexts.drop({row.context for row in self.active})
            if not self.queue and 2 * len(self.active) <= self.cache.rows:
                self._compact()
        return finished

    def _compact(self) -> None:
        """Move the last rows into slots that are free, and let go of all slots above."""
        rows = len(self.active)
        high = [row for row in self.active if row.slot >= rows]
        holes = sorted(set(range(rows)) - {row.slot for row in self.active})
        self.cache.shrink(rows, [(row.slot, hole) for row, hole in zip(high, holes, strict=True)])
        for row, hole in zip(high, holes, strict=True):
            row.slot = hole
        self.free = []


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
        self.cache.move(judge.score_and_choose(self.engine.model, batch, before, hidden, self.engine.counts))

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
    moves: list[judge.Move] = []
    for row in full:
        judge.end_blank(row, moves)
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

    for (row, strand), one, other in zip(heads, listed(plain), listed(planned), strict=True):
        grown.setdefault(row.slot, []).extend(_write_token(row, strand, one, other))


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
