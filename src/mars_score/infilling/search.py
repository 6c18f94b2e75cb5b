"""Infilling as a search for the most probable whole text.

The paper grows one fill a blank and judges its lengths by a *mean* likelihood (`search="greedy"`). A mean falls with
every easy token, so long babble beats a short fill that fits. Here a template keeps several texts in play:

    propose   each beam offers its most probable first tokens, by the plain policy and by the self-planned one
    grow      strands go on with their most probable tokens, the best of all are kept; every length up to |B| + sigma
              is a guess, and so are the masked words themselves, which stay where nothing else fits as well
    judge     a guess is worth log p(text so far, fill, the whole next block | context), where the tokens right after
              the blank count more, and what `_reward` says
    revise    (an option) when all blanks are filled, each is tried again with the text to its right fixed

So planning proposes and the joint likelihood weighs, which is what the paper's importance weights say. A text differs
from the human reference somewhere, and is `good` if it is not much less probable than that. Fills that
make a bad seam (`seams`) are refused, unless a blank has no other. Where rounding could decide, a row is `uncertain`
and is decoded again alone. `decoder.search_state` has a row's tree of tokens, `decoder.search_batch` runs many rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from mars_score.infilling.decoder.search_state import (
    BEGUN,
    GAP,
    MARGIN,
    POOR,
    SLACK,
    WIDTH,
    Beam,
    Branch,
    ColumnPool,
    Fill,
    Head,
    Item,
    Node,
    Offer,
    Outlook,
    Policy,
    SearchLimits,
    SearchPhase,
    best_of,
)
from mars_score.infilling.decoder.state import END, FoundTexts, NewTokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mars_score.infilling.decoder.state import Job, TokenBlock


@dataclass(slots=True, eq=False)
class Search:
    """The search for one template, from left to right; `revision.SearchRow` then looks back."""

    job: Job
    limits: SearchLimits
    decode: Callable[[Sequence[int]], str]
    slot: int
    context: int
    context_length: int
    state: Any  # of the context's last token
    phase: SearchPhase = SearchPhase.DONE
    block: int = 0
    """The current blank."""
    following: tuple[int, ...] = ()
    """What the fill is judged by: the next block, or the end of the text."""
    weights: list[float] = field(default_factory=list)
    """What each token of it counts."""
    last: bool = False
    """Whether no blank is left after this one."""
    beams: list[Beam] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    """What must be known before anything is read."""
    new: list[Node] = field(default_factory=list)
    """What is read next."""
    grown: list[Node] = field(default_factory=list)
    """The current blank's guesses."""
    branches: list[Branch] = field(default_factory=list)
    finals: list[Beam] = field(default_factory=list)
    good: int = 0
    """How many of the final texts are not much worse than the human reference."""
    uncertain: bool = False
    pool: ColumnPool = field(default_factory=ColumnPool)

    def __post_init__(self) -> None:
        first = self.job.blocks[0]
        if first.blank:
            self._enter(0, [Beam((), (), (), 0.0, 0.0, self.state)])
        else:
            self.phase = SearchPhase.READ
            self._extend((), first.ids)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.phase is SearchPhase.DONE

    @property
    def texts(self) -> FoundTexts:
        """The texts that were in play at the end, the best first."""
        return FoundTexts(tuple(beam.fills for beam in self.finals), self.good)

    @property
    def goal(self) -> tuple[int, ...]:
        """The future words that planning is rewarded for; none in an open-ended blank."""
        later = [block.ids for block in self.job.blocks[self.block + 1 :] if not block.blank]
        if self.limits.horizon:
            return later[0][: self.limits.horizon] if later else ()
        return tuple(dict.fromkeys(i for ids in later for i in ids))

    @property
    def blank(self) -> TokenBlock:
        """The current blank."""
        return self.job.blocks[self.block]

    def tokens(self) -> NewTokens[Any]:
        """What is read next: each token sees its ancestors and itself."""
        seen = np.zeros((len(self.new), self.pool.count), bool)
        for index, node in enumerate(self.new):
            seen[index, list(node.path)] = True
        return NewTokens(
            self,
            ids=[node.token for node in self.new],
            columns=[node.path[-1] for node in self.new],
            positions=[len(node.path) - 1 for node in self.new],
            visible=seen,
        )

    def targets(self) -> list[tuple[int, int]]:
        """Which log-probabilities are wanted: (number of a token that was read, token after it)."""
        if self.phase not in (SearchPhase.SKIM, SearchPhase.JUDGE):
            return []
        width = len(self.new) // len(self.branches)
        start = len(self.branches[0].nodes) - width
        return [
            (number * width + i, self.following[start + i + 1])
            for number in range(len(self.branches))
            for i in range(width)
            if start + i + 1 < len(self.following)
        ]

    # ------------------------------------------------------------------ after a forward pass

    def has_read(self, states: Sequence[Any], log_ps: Sequence[float]) -> None:
        """Take the hidden states of `new`, and the log-probabilities of `targets`."""
        new, self.new = self.new, []
        if self.phase is SearchPhase.READ:
            ids = self.job.blocks[0].ids
            self._enter(1, [Beam(new[-1].path, ids, (), 0.0, 0.0, states[-1])])
        elif self.phase is SearchPhase.GROW:
            for node, state in zip(new, states, strict=True):
                assert node.beam is not None
                going = node.policies != {Policy.MASKED} and len(node.fill) < self._limit
                self.heads.append(Head(self, state, node.beam, node, node.policies, WIDTH if going else 0))
        else:
            self._judged(new, states, log_ps)

    def has_seen(self, heads: Sequence[Head], outlooks: Sequence[Outlook]) -> None:
        """Take what was expected at the `heads`."""
        self.heads = []
        if self.phase is SearchPhase.PROPOSE:
            self._propose(heads, outlooks)
        else:
            self._grow(heads, outlooks)
        if not self.new:
            self._end_blank()

    # ------------------------------------------------------------------ propose and grow

    @property
    def _limit(self) -> int:
        return len(self.blank.ids) + self.limits.sigma

    def _enter(self, block: int, beams: list[Beam]) -> None:
        """Start with a blank."""
        blocks = self.job.blocks
        self.block, self.beams, self.phase, self.grown = block, beams, SearchPhase.PROPOSE, []
        self.last = not any(one.blank for one in blocks[block + 1 :])
        self.following = blocks[block + 1].ids if block + 1 < len(blocks) else (END,)
        self.weights = self.limits.weights(len(self.following))
        self._ask()

    def _ask(self) -> None:
        """Ask for the first tokens of fills."""
        planned = bool(self.limits.planned and self.goal)
        policies = {Policy.PLANNED} if planned else {Policy.PLAIN}
        policies |= {Policy.MASKED, *([Policy.PLAIN] if self.limits.plain else [])}
        self.heads = [
            Head(self, beam.state, beam, None, policies, self.limits.proposals) for beam in self.beams
        ]

    def _propose(self, heads: Sequence[Head], outlooks: Sequence[Outlook]) -> None:
        """Begin the strands: the best first tokens of all beams, by each policy."""
        self.phase = SearchPhase.GROW
        started: dict[tuple[int, int], Node] = {}
        for policy in sorted(heads[0].policies):
            offered = [
                (number, token, log_p, ranked.near and rank == len(ranked.tokens) - 1)
                for number, ranked in enumerate(outlook.ranked[policy] for outlook in outlooks)
                for rank, (token, log_p) in enumerate(ranked.tokens)
            ]
            # Reading a first token is cheap, and what follows tells at once which of them lead nowhere.
            few = policy is Policy.PLANNED and self.limits.plain
            width = max(1, self._strands // 3) if few else BEGUN * self._strands
            if policy is not Policy.MASKED:
                offered = self._cut(offered, lambda offer: heads[offer[0]].beam.score + offer[2], width)
            for number, token, log_p, near in offered:
                self.uncertain |= near
                if (number, token) not in started:
                    started[number, token] = self._write(heads[number].beam, None, token, log_p)
                started[number, token].policies.add(policy)

    def _grow(self, heads: Sequence[Head], outlooks: Sequence[Outlook]) -> None:
        """Note how well the next block follows each guess; those with a chance go on."""
        for head, outlook in zip(heads, outlooks, strict=True):
            assert head.node is not None
            head.node.follow = self.weights[0] * outlook.follow
        guesses = [node for node in self.grown if node.accepted]
        bar = -math.inf
        if len(guesses) >= self._strands:
            worth = sorted((node.value + node.follow for node in guesses), reverse=True)
            bar = worth[self._strands - 1] - max(node.follow for node in guesses) - SLACK
        offers: dict[Policy, list[Offer]] = {policy: [] for policy in Policy}
        for head, outlook in zip(heads, outlooks, strict=True):
            assert head.node is not None
            if head.count:
                self.uncertain |= abs(head.node.value - bar) < self.limits.tie
            for policy in head.policies:
                if policy is Policy.MASKED or (head.count and head.node.value >= bar):
                    # Of planning what it prefers, whatever else is more probable.
                    width = 1 if policy is Policy.PLANNED else WIDTH
                    offers[policy] += head.node.offers(outlook.ranked[policy], self._reward)[:width]
        self._go_on(offers)

    def _go_on(self, offers: dict[Policy, list[Offer]]) -> None:
        """Write the next tokens: of each policy, those that make the best texts; of the masked words, all."""
        children: dict[tuple[int, int], Node] = {}
        for policy, some in offers.items():
            width = len(some) if policy is Policy.MASKED else self._strands
            for offer in self._cut(some, lambda offer: offer.value, width):
                self.uncertain |= offer.near
                key = offer.node.path[-1], offer.token
                if key not in children:
                    assert offer.node.beam is not None
                    children[key] = self._write(offer.node.beam, offer.node, offer.token, offer.log_p)
                children[key].policies.add(policy)

    @property
    def _strands(self) -> int:
        """How many strands are grown and guesses judged."""
        return self.limits.strands

    @property
    def _beams(self) -> int:
        """How many guesses are judged by all that follows."""
        return self.limits.beams

    def _write(self, beam: Beam, parent: Node | None, token: int, log_p: float) -> Node:
        """One more token of a fill."""
        path, fill = (parent.path, parent.fill) if parent else (beam.path, ())
        total = (parent.log_p if parent else beam.log_p) + log_p
        node = Node(token, (*path, self.pool.take()), total, beam, (*fill, token))
        node.value = total + beam.reward + self._reward(node.fill)
        seam = self.blank.seam
        sound = seam is None or node.fill == self.blank.ids or seam.accepts(self.decode(node.fill))
        node.accepted = sound and (*beam.fills, node.fill) != self.job.masked
        self.new.append(node)
        self.grown.append(node)
        return node

    # ------------------------------------------------------------------ judge

    def _reward(self, fill: Fill, block: int | None = None) -> float:
        """What a fill's length is worth, up to that of what was masked, and the words it brings in from the context."""
        masked = self.job.blocks[self.block if block is None else block].ids
        words = len(set(fill).intersection(self.job.informative))
        return self.limits.reward * min(len(fill), len(masked)) + self.limits.context_reward * words

    def _end_blank(self) -> None:
        """Shortlist the guesses by the next block's first token, and read the block after them."""
        self.branches = []
        reference = [node for node in self.grown if node.fills == self.job.masked]
        others = [node for node in self.grown if node not in reference]
        for node in ([node for node in others if node.accepted] or others) + reference:
            assert node.beam is not None
            reward = node.beam.reward + self._reward(node.fill)
            self.branches.append(Branch(node, [], [node.follow], reward, node in reference))
        self.grown = []
        self._shortlist(self._strands)
        self._keep([branch.guess.path for branch in self.branches])
        self.phase = SearchPhase.SKIM
        width = min(self._needed, self.limits.window or self._needed)
        self._read_on(0, width) if width else self._finish()

    @property
    def _needed(self) -> int:
        """How many tokens of what follows are read: all that predict another one, and the last before a blank."""
        if self.following[-1] == END:
            return len(self.following) - 1
        return len(self.following) - (1 if self.last else 0)

    def _read_on(self, start: int, end: int) -> None:
        """Read a part of what follows after each branch."""
        for branch in self.branches:
            path = branch.nodes[-1].path if branch.nodes else branch.guess.path
            branch.nodes += self._extend(path, self.following[start:end])

    def _judged(self, new: list[Node], states: Sequence[Any], log_ps: Sequence[float]) -> None:
        """Take what the following text costs after each branch."""
        width, count = len(new) // len(self.branches), len(log_ps) // len(self.branches)
        for number, branch in enumerate(self.branches):
            known, new_log_ps = len(branch.log_ps), log_ps[number * count : (number + 1) * count]
            branch.log_ps += map(mul, self.weights[known : known + count], new_log_ps)
        stops = self._stops()
        for index, (node, state) in enumerate(zip(new, states, strict=True)):
            if len(self.branches[0].nodes) - width + index % width + 1 in stops:
                node.state = state
        read = len(self.branches[0].nodes)
        if read == self._needed:
            self._finish()
            return
        self._shortlist(self._beams)
        self._keep([branch.nodes[-1].path for branch in self.branches])
        self.phase = SearchPhase.JUDGE
        self._read_on(read, self._needed)

    def _stops(self) -> set[int]:
        """After how many tokens of what follows a blank begins."""
        return set() if self.last else {len(self.following)}

    def _finish(self) -> None:
        """Choose the texts that stay in play."""
        tail = tuple(i for i in self.following if i != END)
        reference = [branch.score for branch in self.branches if branch.reference]
        distinct: dict[tuple[int, ...], Branch] = {}
        for branch in sorted(self.branches, key=lambda branch: -branch.score):
            assert branch.guess.beam is not None
            if not branch.reference:
                distinct.setdefault((*branch.guess.beam.text, *branch.guess.fill), branch)
        width = len(distinct) if self.last else self.limits.beams
        chosen = self._cut(list(distinct.values()), lambda branch: branch.score, width)
        beams = [branch.text(tail) for branch in chosen]
        self.branches = []
        if self.last:
            self._rank(beams, max(reference, default=-math.inf) - POOR)
            self._end()
            return
        bar = beams[0].score - GAP
        self.uncertain |= any(abs(beam.score - bar) < self.limits.tie for beam in beams)
        beams = [beam for beam in beams if beam.score >= bar]
        self._keep([beam.path for beam in beams])
        self._enter(self.block + 2, beams)

    def _rank(self, texts: list[Beam], bar: float) -> None:
        """Take the texts that were found, in order, and note how many are good."""
        self.finals = texts
        scores = [text.score for text in texts]
        self.good = sum(score >= bar for score in scores)
        self.uncertain |= any(a - b < self.limits.tie for a, b in pairwise(scores))
        self.uncertain |= any(abs(score - bar) < self.limits.tie for score in scores)

    def _end(self) -> None:
        """All blanks are filled."""
        self.phase = SearchPhase.DONE

    def _extend(self, path: tuple[int, ...], ids: Iterable[int]) -> list[Node]:
        """Tokens of a text block, one behind the other."""
        nodes = []
        for token in ids:
            path = (*path, self.pool.take())
            nodes.append(Node(token, path))
        self.new += nodes
        return nodes

    def _keep(self, paths: Iterable[tuple[int, ...]]) -> None:
        """Free every column that none of these texts needs."""
        self.pool.keep(paths)

    def _shortlist(self, count: int) -> None:
        """Keep the branches that are worth reading on, and the human reference beside them."""
        reference = [branch for branch in self.branches if branch.reference]
        others = [branch for branch in self.branches if not branch.reference]
        self.branches = (
            self._cut(others, lambda branch: branch.score, count, margin=MARGIN, gap=GAP) + reference
        )

    def _cut(
        self, items: list[Item], score: Callable[[Item], float], count: int, **more: float
    ) -> list[Item]:
        """The best, as `best_of` says; where the border is a near-tie, the row is uncertain."""
        kept, near = best_of(items, score, count, self.limits.tie, **more)
        self.uncertain |= near
        return kept
