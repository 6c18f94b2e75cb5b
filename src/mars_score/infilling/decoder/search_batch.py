"""Many searches at once: every row takes its next step in one forward pass.

Each round

    1. looks    at what the model expects where rows want to know it: the next tokens by the plain and the planned
                policy, and how well the next block would follow
    2. reads    in one forward pass the tokens that the rows want read, whatever they are
    3. scores   the text that judges guesses; the output head sees only the states that are asked for

The last step of a search revises: from left to right, every blank but the last is proposed for and judged once more,
now by all that follows it instead of by the next block alone. The best guess stays if the whole text gains by it. (The
paper's "revise"; Gibbs-like samplers such as CGMH do the same at random.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import torch

from mars_score.infilling import planning
from mars_score.infilling.decoder.batch import HEAD_ROWS, HEADS, Batch
from mars_score.infilling.decoder.search_state import (
    REVISED,
    Beam,
    Branch,
    Fill,
    Head,
    Outlook,
    Policy,
    RankedBeam,
    SearchPhase,
)
from mars_score.infilling.decoder.state import END, FoundTexts
from mars_score.infilling.search import Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torch import Tensor

    from mars_score.infilling.decoder.state import Job, NewTokens


@dataclass(slots=True, eq=False)
class SearchRow(Search):
    """The whole search for one template."""

    starts: list[Beam] = field(default_factory=list)
    """While revising: the best text up to each blank."""
    best: Beam | None = None
    """The best text; revised, it is none of the `finals`."""

    @property
    def texts(self) -> FoundTexts:
        """The texts that were in play at the end, the best first."""
        texts = [self.best] if self.best and self.best.fills != self.finals[0].fills else []
        return FoundTexts(tuple(beam.fills for beam in (*texts, *self.finals)), self.good + len(texts))

    def _end(self) -> None:
        """Look back along the best text."""
        self.best = self.finals[0]
        if not self.limits.revise or len(self.best.fills) < 2:
            self.phase = SearchPhase.DONE
            return
        beam = self.best.parent
        while beam is not None:
            self.starts.insert(0, beam)
            beam = beam.parent
        self._keep(())
        self._revise(min(i for i, block in enumerate(self.job.blocks) if block.blank))

    def _current(self, block: int) -> Fill:
        """The best text's fill of a blank."""
        assert self.best is not None
        return self.best.fills[self._number(block)]

    def _revise(self, block: int) -> None:
        """Try a blank again, with all that stands to its right."""
        blocks = self.job.blocks
        if block >= len(blocks) - 2:  # what follows was all seen when this one was chosen
            self.phase, self.starts = SearchPhase.DONE, []
            return
        following: list[int] = []
        weights: list[float] = []
        for number in range(block + 1, len(blocks)):
            if blocks[number].blank:
                following += self._current(number)
                weights += [1.0] * len(self._current(number))
            else:
                following += blocks[number].ids
                weights += self.limits.weights(len(blocks[number].ids))
        if blocks[-1].blank:
            following.append(END)
            weights += self.limits.weights(1)
        if len(following) > REVISED:
            self._revise(block + 2)
            return
        self.following, self.weights = tuple(following), weights
        self.block, self.last, self.phase, self.grown = block, True, SearchPhase.PROPOSE, []
        self.beams = [self.starts[self._number(block)]]
        self._ask()

    def _number(self, block: int) -> int:
        """How many blanks stand before a block."""
        return sum(earlier.blank for earlier in self.job.blocks[:block])

    def _end_revision(self) -> None:
        """Take the best guess if the whole text gains."""
        best, number = self.best, self._number(self.block)
        assert best is not None
        right = best.reward - self.starts[number].reward - self._reward(best.fills[number])
        (branch,) = self._cut(self.branches, lambda branch: branch.score, 1)
        gain = branch.score + right - best.score
        fills = (*best.fills[:number], branch.guess.fill, *best.fills[number + 1 :])
        self.uncertain |= abs(gain - self.limits.tie) < self.limits.tie / 2
        if gain > self.limits.tie and fills not in (best.fills, self.job.masked):
            tail = tuple(i for i in self.following if i != END)
            self.best = branch.text(tail)
            self.best.fills, self.best.reward = fills, self.best.reward + right
            self.starts[number + 1 :] = self._later_starts(branch, fills)
        self.branches = []
        self._keep(())
        self._revise(self.block + 2)

    def _later_starts(self, branch: Branch, fills: tuple[Fill, ...]) -> list[Beam]:
        """The revised text up to each later blank."""
        starts: list[Beam] = []
        before, reward = branch.guess.beam, branch.reward
        assert before is not None
        for stop in sorted(self._stops()):
            node, count = branch.nodes[stop - 1], len(before.fills) + 1 + len(starts)
            text = (*before.text, *branch.guess.fill, *self.following[:stop])
            log_p = branch.guess.log_p + math.fsum(branch.log_ps[:stop])
            starts.append(Beam(node.path, text, fills[:count], log_p, reward, node.state))
            later = [i for i, block in enumerate(self.job.blocks) if block.blank][count]
            reward += self._reward(fills[count], later)
        return starts

    # ------------------------------------------------------------------ where a revision differs from a first try

    @property
    def _strands(self) -> int:
        """A revision has one text to go on from, and takes half as many."""
        return max(2, self.limits.strands // 2) if self.starts else self.limits.strands

    @property
    def _beams(self) -> int:
        """And half as many guesses are read to the end."""
        return max(1, self.limits.beams // 2) if self.starts else self.limits.beams

    def _stops(self) -> set[int]:
        """After how many tokens of what follows a blank begins."""
        if not self.starts:
            return Search._stops(self)
        stops, count = set(), 0
        for number, block in enumerate(self.job.blocks[self.block + 1 :], self.block + 1):
            if block.blank:
                stops.add(count)
            count += len(self._current(number)) if block.blank else len(block.ids)
        return stops

    def _finish(self) -> None:
        """Choose the texts that stay in play, or whether to revise."""
        if self.starts:
            self._end_revision()
        else:
            Search._finish(self)

    def _keep(self, paths: Iterable[tuple[int, ...]]) -> None:
        """Free every column that neither these texts need nor the one that is being revised."""
        Search._keep(self, (*paths, *(start.path for start in self.starts)))


NOTHING = RankedBeam((), near=False)


class SearchBatch(Batch[SearchRow]):
    """Searches in flight."""

    widths: ClassVar[tuple[int, ...]] = (4, 12, 32)

    def _begin(self, jobs: list[Job], number: int, length: int, state: Tensor) -> list[SearchRow]:
        engine, state = self.engine, state.clone()
        return [
            SearchRow(job, engine.search, engine.model.decode, self.free.pop(), number, length, state)
            for job in jobs
        ]

    def _round(self) -> None:
        """Look, read, score."""
        heads = [head for row in self.active for head in row.heads]
        outlooks = [
            outlook
            for start in range(0, len(heads), HEADS)
            for outlook in self._look(heads[start : start + HEADS])
        ]
        start = 0
        for row in self.active:
            end = start + len(row.heads)
            if end > start:
                row.has_seen(heads[start:end], outlooks[start:end])
            start = end
        batch = [row.tokens() for row in self.active if row.new]
        if batch:
            self._read(batch)

    def _read(self, batch: Sequence[NewTokens[SearchRow]]) -> None:
        """Read what the rows want read, and tell them what it came to."""
        ids, positions, view = self.cache.step(batch)
        hidden = self.engine.model.hidden(ids, positions, view)  # (T, H)
        sources: list[int] = []
        targets: list[int] = []
        start = 0
        for new in batch:
            for index, target in new.row.targets():
                sources.append(start + index)
                targets.append(target)
            start += len(new.ids)
        log_ps = self._log_probs(hidden[sources], targets) if sources else []
        start = first = 0
        counts = self.engine.counts
        for new in batch:
            row, end = new.row, start + len(new.ids)
            last = first + len(row.targets())
            if row.phase is SearchPhase.GROW:
                counts.generated += len(new.ids)
            elif row.phase is SearchPhase.READ:
                counts.read += len(new.ids)
            else:
                counts.judged += len(new.ids)
            # A copy: what a row keeps of it must not hold the states of all rows.
            row.has_read(list(hidden[start:end].clone()), log_ps[first:last])
            start, first = end, last

    def _log_probs(self, hidden: Tensor, targets: list[int]) -> list[float]:
        """log p of each target, which may be the end of the text, under its hidden state."""
        log_probs: list[float] = []
        for start in range(0, len(targets), HEAD_ROWS):
            part = targets[start : start + HEAD_ROWS]
            logits = self.engine.model.logits(hidden[start : start + HEAD_ROWS])  # (n, V)
            log_probs += (self._wanted(logits, part) - logits.logsumexp(-1)).tolist()
        return log_probs

    def _wanted(self, logits: Tensor, targets: list[int]) -> Tensor:
        """The logit (n,) of each target; of the text's end, that of all tokens that can close one."""
        ids = torch.tensor(targets, device=logits.device)
        wanted = logits.gather(1, ids.clamp_min(0)[:, None])[:, 0]  # (n,)
        ends = (ids == END).nonzero()[:, 0]
        if len(ends):
            closing = self.engine.model.vocabulary.closing
            wanted[ends] = logits[ends[:, None], closing].logsumexp(-1)
        return wanted

    def _look(self, heads: Sequence[Head]) -> list[Outlook]:
        """What the model expects at some heads."""
        hidden = torch.stack([head.state for head in heads])  # (B, H)
        logits = self.engine.model.logits(hidden)  # (B, V)
        total = logits.logsumexp(-1)  # (B,)
        follow = (self._wanted(logits, [head.row.following[0] for head in heads]) - total).tolist()
        ranked = [dict.fromkeys(Policy, NOTHING) for _ in heads]
        self._rank_masked(ranked, heads, logits, total)
        going = [i for i, head in enumerate(heads) if head.count]
        if going:
            for i in going:
                self._forbid(heads[i], logits[i])
            best = logits.topk(max(heads[i].count for i in going) + 1, dim=-1)
            log_ps = (best.values - total[:, None]).tolist()
            ids, scores = best.indices.tolist(), best.values.tolist()
            for i in going:
                ranked[i][Policy.PLAIN] = self._ranked(ids[i], scores[i], log_ps[i], heads[i].count)
        wanted = [i for i in going if Policy.PLANNED in heads[i].policies]
        if wanted:
            for i, planned in zip(wanted, self._planned(heads, wanted, hidden, logits, total), strict=True):
                ranked[i][Policy.PLANNED] = planned
        return [Outlook(*fields) for fields in zip(follow, ranked, strict=True)]

    def _rank_masked(
        self, ranked: list[dict[Policy, RankedBeam]], heads: Sequence[Head], logits: Tensor, total: Tensor
    ) -> None:
        """Note the next of the masked words themselves, where these are what is written."""
        ids = torch.tensor([head.masked or 0 for head in heads], device=logits.device)
        log_ps = (logits.gather(1, ids[:, None])[:, 0] - total).tolist()
        for each, head, log_p in zip(ranked, heads, log_ps, strict=True):
            if head.masked is not None:
                each[Policy.MASKED] = RankedBeam(((head.masked, log_p),), near=False)

    def _forbid(self, head: Head, logits: Tensor) -> None:
        """Set to -inf, in logits (V,), every token that must not be written now."""
        seam, fill = head.row.blank.seam, head.fill
        if seam is not None:
            mask = self.engine.seams.forbidden(seam, fill[-1] if fill else None)
        else:
            mask = self.engine.chooser.unwritable
        logits.masked_fill_(mask, planning.NEVER)
        if self.engine.config.no_repeat:
            banned = planning.repeats([*head.beam.text, *fill], size=3)
            if banned:
                logits[list(banned)] = planning.NEVER

    def _planned(
        self, heads: Sequence[Head], wanted: list[int], hidden: Tensor, logits: Tensor, total: Tensor
    ) -> list[RankedBeam]:
        """What the planned policy prefers at some of the heads."""
        engine, index = self.engine, torch.tensor(wanted, device=logits.device)
        counts = [min(heads[i].count, engine.search.planned) for i in wanted]
        if engine.config.planner == "kv":
            pasts = [
                planning.Past.of(
                    self.cache, heads[i].row, heads[i].path,
                    ([heads[i].row.job.context[-1], *heads[i].beam.text, *heads[i].fill])[-1], heads[i].row.goal,
                )
                for i in wanted
            ]  # fmt: skip
            scores = planning.plan_through_cache(engine.model, pasts, engine.config)  # (b, V)
            scores = scores.masked_fill(logits[index].isneginf(), planning.NEVER)
            best = scores.topk(max(counts) + 1, dim=-1)
            ids = best.indices  # (b, n)
        else:
            tables = engine.chooser.tables
            goals = planning.goals_of([heads[i].row.goal for i in wanted], engine.config.decay, logits.device)
            size = engine.config.shortlist
            shortlisted, scores = planning.shortlist(logits, index, goals, size)  # (b, C) each
            scores = planning.plan(hidden[index], shortlisted, scores, goals, tables, engine.config)  # (b, C)
            best = scores.topk(max(counts) + 1, dim=-1)
            ids = shortlisted.gather(1, best.indices)  # (b, n)
        log_ps = logits[index].gather(1, ids) - total[index][:, None]  # (b, n)
        lists = zip(ids.tolist(), best.values.tolist(), log_ps.tolist(), counts, strict=True)
        return [self._ranked(*ranking) for ranking in lists]

    def _ranked(self, ids: list[int], scores: list[float], log_ps: list[float], count: int) -> RankedBeam:
        """The best `count` tokens that may be written."""
        allowed = [(i, log_p) for i, log_p in zip(ids, log_ps, strict=True) if log_p > planning.NEVER]
        near = len(allowed) > count and scores[count - 1] - scores[count] < self.engine.chooser.tie
        return RankedBeam(tuple(allowed[:count]), near)
