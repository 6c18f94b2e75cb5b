"""One batch of templates on its way through the network, round by round.

Rows wait for each other nowhere. Each round

    1. admits   new rows into free slots and reads their contexts, each once for all of its templates
    2. lets     every row take its next step, all in one forward pass; which one is left to the kinds of batches
    3. retires  the rows whose last blank is decided
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

import torch

from mars_score.infilling.decoder.kv_cache import NARROW, Cache
from mars_score.infilling.decoder.state import FoundTexts, Job, Slotted
from mars_score.lm.attention import Prefill
from mars_score.storage.lru import malloc_trim

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from mars_score.infilling.decoder.engine import DecodingEngine

PREFILL_TOKENS = 1024
"""Contexts are read together up to this many tokens."""
LIKE_LENGTH = 1.5
"""Contexts share a panel unless one is longer than another by more than this factor."""
HEADS = 48
"""Strands whose next tokens are chosen together. Numbers for every word of the vocabulary take memory, and what
planning reads six times should stay in the processor's cache."""
HEAD_ROWS = 128
"""Positions that go through the output head at once: bounds the (N, V) logits."""


class BatchRow(Slotted, Protocol):
    """What a batch asks of its rows."""

    job: Job
    uncertain: bool

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""

    @property
    def texts(self) -> FoundTexts:
        """The texts that were found."""


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
                members = slice(start, end)
                self._read_contexts(groups[members], numbers[members], panel.store[:, :, members])
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
