"""The decoding engine: many templates at once, token ids in, token ids out.

Templates of like size are decoded together (see `batch`), identical ones once.

Choices that rounding could flip (a near-tie) would make a fill depend on what else is in the batch. Rows
that met one are decoded again alone, so that equal input gives equal output in any company.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from mars_score.errors import ModelError
from mars_score.infilling.decoder import search_state
from mars_score.infilling.decoder.state import TIE, FoundTexts, Job, Limits
from mars_score.infilling.planning import Chooser
from mars_score.infilling.seams import SeamRules
from mars_score.progress import Progress, silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mars_score.config import InfillingConfig
    from mars_score.infilling.decoder.batch import Batch, BatchRow
    from mars_score.lm.causal import LanguageModel

Fills = tuple[tuple[int, ...], ...]
"""Of one text: the tokens of each blank."""

MAX_ROWS = 96
"""Rows in flight; on a CPU, more than this makes a step longer but no token cheaper."""
SMALLEST = 128
"""Rows of up to this many cache columns are not separated by size."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Counts:
    """What the engine has done: the basis of speed reports."""

    prefilled: int = 0
    generated: int = 0
    judged: int = 0
    read: int = 0
    rows: int = 0
    repeated: int = 0
    """Rows decoded again because of a near-tie."""


class DecodingEngine:
    """Fills the blanks of token templates."""

    def __init__(
        self,
        model: LanguageModel,
        config: InfillingConfig,
        *,
        memory: int = 2 << 30,
        max_rows: int = MAX_ROWS,
    ) -> None:
        """Bind the model, the algorithm's parameters, and how many bytes the caches may take."""
        if config.planner == "kv" and not model.differentiable:
            raise ModelError("planner kv needs gradients: load the language model with differentiable=True")
        self.model, self.config, self.memory, self.max_rows = model, config, memory, max_rows
        self.limits = Limits(
            sigma=config.sigma, window=config.judge_window, keep=config.judge_keep, horizon=config.horizon,
            plan=config.planner != "off", compare_unplanned=config.compare_unplanned, tie=TIE[config.dtype],
        )  # fmt: skip
        self.search = search_state.SearchLimits.of(config)
        self.chooser = Chooser(model, config)
        self.counts = Counts()

    @cached_property
    def seams(self) -> SeamRules:
        """Which tokens may stand where."""
        return SeamRules(self.model.vocabulary)

    def prepare(self) -> None:
        """Lay out the weights, and group the vocabulary."""
        self.model.prepare()
        if self.config.search == "beam":
            _ = self.seams

    def run(self, jobs: Sequence[Job], progress: Progress = silent) -> list[Fills]:
        """Return the fills of each job."""
        return [texts.fills[0] for texts in self.texts(jobs, progress)]

    def texts(self, jobs: Sequence[Job], progress: Progress = silent) -> list[FoundTexts]:
        """Return every text that was found for each job; greedy decoding finds one."""
        with torch.no_grad():
            results = self._run(list(dict.fromkeys(jobs)), progress)
        return [results[job] for job in jobs]

    def _run(self, jobs: list[Job], progress: Progress) -> dict[Job, FoundTexts]:
        """Fill distinct jobs: all together, then alone those that met a near-tie."""
        results: dict[Job, FoundTexts] = {}
        uncertain: list[Job] = []
        for batch in self._batches(jobs):
            for row in self._decode(batch):
                results[row.job] = row.texts
                if row.uncertain and len(jobs) > 1:
                    uncertain.append(row.job)
                progress(len(results) - len(uncertain), len(jobs))
        for left, job in zip(reversed(range(len(uncertain))), uncertain, strict=True):
            (row,) = self._decode([[job]])
            results[job] = row.texts
            self.counts.repeated += 1
            progress(len(jobs) - left, len(jobs))
        return results

    def _decode(self, groups: list[list[Job]]) -> Iterator[BatchRow]:
        """Decode a batch; when memory runs out, go on with what is not done yet in half as many rows."""
        done: set[Job] = set()
        while groups:
            try:
                for row in self._batch_type(self, groups).finish():
                    done.add(row.job)
                    yield row
                return
            except (MemoryError, RuntimeError) as error:
                if not _out_of_memory(error):
                    raise
                if self.max_rows == 1:
                    raise ModelError(
                        "memory ran out while filling one template alone; shorten the text "
                        "(max_words, max_context), take a smaller model, or free memory"
                    ) from error
            # Outside the handler, which would keep the failed batch's tensors alive.
            self.max_rows = max(1, min(self.max_rows, sum(map(len, groups))) // 2)
            self.memory //= 2
            log.warning("memory ran out: going on with %d rows at a time", self.max_rows)
            if self.model.device.type == "cuda":
                torch.cuda.empty_cache()
            groups = [left for group in groups if (left := [job for job in group if job not in done])]

    @property
    def _batch_type(self) -> type[Batch[Any]]:
        if self.config.search == "beam":
            from mars_score.infilling.decoder.search_batch import SearchBatch

            return SearchBatch
        from mars_score.infilling.decoder.greedy import GreedyBatch

        return GreedyBatch

    def columns(self, job: Job) -> int:
        """Return the most cache columns that a job can come to use."""
        if self.config.search == "beam":
            return search_state.columns(job, self.search)
        longest = sum(len(block.ids) + (self.config.sigma if block.blank else 0) for block in job.blocks)
        blanks = [len(block.ids) + self.config.sigma for block in job.blocks if block.blank]
        texts = [len(block.ids) for block in job.blocks if not block.blank]
        strands = 2 * max(blanks, default=0)
        branches = min(strands, self.config.judge_keep or math.inf)
        width = min(max(texts, default=1), self.config.judge_window or math.inf) - 1
        return int(longest + strands + branches * width) + 1

    def positions(self, job: Job) -> int:
        """Return how many positions a job must find free after its context."""
        return search_state.positions(job, self.search) if self.config.search == "beam" else self.columns(job)

    def _batches(self, jobs: Sequence[Job]) -> list[list[list[Job]]]:
        """Group jobs by context, and contexts whose templates are of like size; within a batch, long ones first.

        Long ones first, so that no lone row is left for the end.
        """
        contexts: dict[tuple[int, ...], list[Job]] = {}
        for job in jobs:
            contexts.setdefault(job.context, []).append(job)
        sizes: dict[int, list[list[Job]]] = {}
        for group in contexts.values():
            columns = max(self.columns(job) for job in group)
            sizes.setdefault(max(SMALLEST, 1 << (columns - 1).bit_length()), []).append(group)
        for size in sorted(sizes):
            # Too few to fill the slots: they go along with those of the next size.
            if 2 * size in sizes and sum(map(len, sizes[size])) < self.max_rows:
                sizes[2 * size] += sizes.pop(size)
        return [
            sorted(sizes[size], key=lambda group: -max(self._rounds(job) for job in group))
            for size in sorted(sizes)
        ]

    def _rounds(self, job: Job) -> int:
        """How many rounds a job takes at most: one for each token of its fills, judgement and text."""
        return sum(len(block.ids) + self.config.sigma + 1 if block.blank else 1 for block in job.blocks)


def _out_of_memory(error: Exception) -> bool:
    """Whether an error of torch means that memory ran out; on a CPU it has no type of its own."""
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "allocate memory" in str(error)
