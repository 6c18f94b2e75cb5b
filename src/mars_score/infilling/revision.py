"""The last step of the search: each blank is tried again, with the text to its right fixed.

From left to right, every blank but the last is proposed for and judged once more, now by all that follows it instead
of by the next block alone. The best guess stays if the whole text gains by it. (The paper's "revise"; Gibbs-like
samplers such as CGMH do the same at random.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mars_score.infilling.decoder.search_state import Beam, Branch, Fill, SearchPhase
from mars_score.infilling.decoder.state import END
from mars_score.infilling.search import Search

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True, eq=False)
class SearchRow(Search):
    """The whole search for one template."""

    starts: list[Beam] = field(default_factory=list)
    """While revising: the best text up to each blank."""
    best: Beam | None = None
    """The best text; revised, it is none of the `finals`."""

    @property
    def ranked(self) -> list[tuple[Fill, ...]]:
        """The fills of each text that was in play at the end, the best first."""
        texts = [self.best, *self.finals] if self.best else self.finals
        return list(dict.fromkeys(beam.fills for beam in texts))

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
        for number in range(block + 1, len(blocks)):
            following += self._current(number) if blocks[number].blank else blocks[number].ids
        self.following = (*following, END) if blocks[-1].blank else tuple(following)
        self.block, self.last, self.phase, self.grown = block, True, SearchPhase.PROPOSE, []
        self.beams = [self.starts[self._number(block)]]
        self._ask()

    def _number(self, block: int) -> int:
        """How many blanks stand before a block."""
        return sum(one.blank for one in self.job.blocks[:block])

    def _end_revision(self) -> None:
        """Take the best guess if the whole text gains."""
        best, number = self.best, self._number(self.block)
        assert best is not None
        right = best.reward - self.starts[number].reward - self._reward(best.fills[number])
        (branch,) = self._cut(self.branches, lambda branch: branch.score, 1, 0.0)
        gain = branch.score + right - best.score
        fills = (*best.fills[:number], branch.guess.fill, *best.fills[number + 1 :])
        masked = tuple(block.ids for block in self.job.blocks if block.blank)
        self.uncertain |= abs(gain - self.limits.tie) < self.limits.tie / 2
        if gain > self.limits.tie and fills not in (best.fills, masked):
            tail = tuple(i for i in self.following if i != END)
            self.best = self._beam(branch, tail)
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
