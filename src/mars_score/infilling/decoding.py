"""One batch of templates on its way through the network, round by round.

Rows wait for each other nowhere. Each round

    1. admits   new rows into free slots and reads their contexts, each once for all of its templates
    2. grows    every strand that is filling a blank: chooses its next token from the last hidden state
    3. reads    in one forward pass what every row needs next, whatever that is: the tokens just chosen,
                the next block after each guess at a fill (to judge it), or text up to the next blank
    4. retires  the rows whose last blank is decided
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from mars_score.infilling import layout
from mars_score.infilling.attention import Prefill
from mars_score.infilling.cache import Cache
from mars_score.infilling.growing import grow
from mars_score.infilling.heap import give_back
from mars_score.infilling.rows import Job, Phase, Row, Strand
from mars_score.infilling.settling import settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from mars_score.infilling.engine import Engine
    from mars_score.infilling.layout import NewTokens

PREFILL_TOKENS = 1024
"""Contexts are read together up to this many tokens."""
LIKE_LENGTH = 1.5
"""Contexts share a panel unless one is longer than another by more than this factor."""


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
        weight = model.head.weight
        self.hidden = torch.zeros(rows, 2, weight.shape[1], dtype=weight.dtype, device=model.device)
        self.free = list(range(rows))

    def finish(self) -> Iterator[Row]:
        """Yield every row as it is done."""
        while self.queue or self.active:
            # Contexts are read a good many at a time: slots are filled when a quarter of them are free.
            if self.queue and (not self.active or 4 * len(self.free) >= self.cache.rows):
                self._admit()
            self._round()
            yield from self._retire()

    def _admit(self) -> None:
        """Give free slots to waiting jobs while their contexts fit, and read these contexts."""
        give_back()
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
        hidden = model.hidden(ids, positions, Prefill(lengths, store))  # (T, H)
        ends = (torch.tensor(lengths).cumsum(0) - 1).tolist()
        for number, group, length, end in zip(numbers, groups, lengths, ends, strict=True):
            rows = [Row(job, self.engine.limits, self.free.pop(), number, length) for job in group]
            self.hidden[[row.slot for row in rows], 0] = hidden[end]
            self.active += rows
            self.engine.counts.rows += len(rows)
        self.engine.counts.prefilled += len(ids)

    def _round(self) -> None:
        """Let every row take its next step, all in one forward pass."""
        growing = [row for row in self.active if row.phase is Phase.GENERATE]
        grown = grow(self.engine, growing, self.hidden, self.cache) if growing else {}
        batch: list[NewTokens] = []
        for row in self.active:
            if row.phase is Phase.GENERATE:
                batch.append(layout.growing(row, grown[row.slot]))
            elif row.phase is Phase.JUDGE:
                batch.append(layout.judging(row))
            elif row.phase is Phase.READ:
                batch.append(layout.reading(row))
        if not batch:
            return
        before = self.hidden[[new.row.slot for new in batch], 0]  # (B, H): predicts the first pending token
        ids, positions, view = self.cache.step(batch)
        hidden = self.engine.model.hidden(ids, positions, view)  # (T, H)
        self._keep(batch, grown, hidden)
        self.cache.move(settle(self.engine.model, batch, before, hidden, self.engine.counts))

    def _keep(self, batch: list[NewTokens], grown: dict[int, list[Strand]], hidden: Tensor) -> None:
        """Note the hidden states that the next round starts from."""
        sources: list[int] = []
        slots: list[int] = []
        numbers: list[int] = []
        start = 0
        for new in batch:
            row, end = new.row, start + len(new.ids)
            if row.phase is Phase.GENERATE:
                sources += range(start, end)
                slots += [row.slot] * len(new.ids)
                numbers += [row.strands.index(strand) for strand in grown[row.slot]]
                self.engine.counts.generated += len(new.ids)
            else:  # of a judged row too, though it reads on before this is used
                sources.append(end - 1)
                slots.append(row.slot)
                numbers.append(0)
            start = end
        self.hidden[slots, numbers] = hidden[sources]

    def _retire(self) -> list[Row]:
        """Take finished rows out; what they held shrinks once half of it is idle and nothing waits for it."""
        finished = [row for row in self.active if row.phase is Phase.DONE]
        if finished:
            self.active = [row for row in self.active if row.phase is not Phase.DONE]
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
            self.hidden[hole] = self.hidden[row.slot]
            row.slot = hole
        self.hidden, self.free = self.hidden[:rows], []
