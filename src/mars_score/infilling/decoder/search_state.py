"""What a search is made of: its limits, its tree of tokens, and what it asks of the language model.

`mars_score.infilling.search` has the search itself.

A row holds its tokens as a tree in its own cache columns: a node sees its ancestors. Beams, strands and judged guesses
share what they have in common, nothing is copied or read twice, and columns of dead branches are used again. A row
knows tokens and numbers; what it must know of hidden states it hands through untouched. Two candidates at a cut, or two
tokens, that are nearer than the rounding of another batch shape make a row `uncertain`.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from mars_score.config import InfillingConfig
    from mars_score.infilling.decoder.state import Job
    from mars_score.infilling.search import Search

BEGUN = 2
"""So many times as many fills are begun as are grown on."""
WIDTH = 3
"""Tokens that a fill may go on with; the best of all fills' continuations are grown."""
MARGIN = 0.5
"""Candidates within so many nats of a cut are kept too, up to twice as many as asked for."""
SLACK = 1.0
"""A strand is given up when it lies so many nats below the guesses that would be judged, even if the next block suited
it as well as any guess so far."""
SEAM_TOKENS = 3
"""Tokens after a blank that tell whether its fill has led to them: they count more than others."""
REVISED = 24
"""A blank is revised if so many tokens or fewer follow it: each try reads them all, and the time for a text has to grow
with its length and not with its square."""
GAP = 4.0
"""What lies so many nats below the best is not read on, and given up while blanks are left."""
POOR = 5.0
"""A text that lies more nats below the human reference is poor: its blanks have no other fill than what was masked."""
SPARE = 3
"""So many guesses are read to the end however far they lie below the best: ratios want different texts."""
TIE = {"float32": 2e-4, "float16": 0.1, "bfloat16": 0.5}
"""Sums of log-likelihoods nearer than this could be ordered by the rounding of another batch shape."""

Fill = tuple[int, ...]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How wide the search is."""

    beams: int
    proposals: int
    strands: int
    planned: int
    """Strands of the planned policy besides those of the plain one; 0: there is no planner."""
    plain: bool
    """Whether the plain policy proposes where the planned one can."""
    sigma: int
    window: int
    horizon: int
    reward: float
    context_reward: float
    seam_weight: float
    revise: bool
    tie: float

    @classmethod
    def of(cls, config: InfillingConfig) -> SearchLimits:
        """Read the settings."""
        return cls(
            beams=config.beams, proposals=config.proposals, strands=config.strands,
            planned=max(1, config.strands // 3) if config.planner != "off" else 0, plain=config.compare_unplanned,
            sigma=config.sigma, window=config.judge_window, horizon=config.horizon, reward=config.token_reward,
            context_reward=config.context_reward, seam_weight=config.seam_weight,
            revise=config.revise, tie=TIE[config.dtype],
        )  # fmt: skip

    def weights(self, count: int) -> list[float]:
        """What each of so many tokens after a blank counts."""
        return [1.0 + self.seam_weight * (place < SEAM_TOKENS) for place in range(count)]


def columns(job: Job, limits: SearchLimits) -> int:
    """The most cache columns that a job can come to use.

    The texts in play, and either the strands of a blank or what is read after its guesses.
    """
    text = positions(job, limits)
    growth = max((len(block.ids) + limits.sigma for block in job.blocks if block.blank), default=0)
    strands = BEGUN * limits.strands + (limits.strands + limits.planned + limits.beams) * growth
    skimmed = (2 * limits.strands + 1) * (growth + (min(text, limits.window) if limits.window else text))
    return limits.beams * text + max(strands, skimmed, (2 * limits.beams + 1) * (growth + text))


def positions(job: Job, limits: SearchLimits) -> int:
    """The longest that a job's text can become."""
    return 1 + sum(len(block.ids) + (limits.sigma if block.blank else 0) for block in job.blocks)


class SearchPhase(Enum):
    """What a row waits for."""

    READ = auto()
    """Text before the first blank is read."""
    PROPOSE = auto()
    GROW = auto()
    SKIM = auto()
    """The guesses are judged by the next block's first tokens,"""
    JUDGE = auto()
    """and the best of them by the rest."""
    DONE = auto()


class Policy(IntEnum):
    """Who proposes what is written."""

    PLAIN = auto()
    """The language model."""
    PLANNED = auto()
    """The language model, led towards the words to come."""
    MASKED = auto()
    """The reference: its own words."""


@dataclass(slots=True)
class ColumnPool:
    """Cache columns of a row: those of dead branches are used again."""

    count: int = 0
    """Columns up to the last one that is in use."""
    _free: list[int] = field(default_factory=list)

    def take(self) -> int:
        """The lowest column that is free."""
        if self._free:
            return heapq.heappop(self._free)
        self.count += 1
        return self.count - 1

    def keep(self, paths: Iterable[tuple[int, ...]]) -> None:
        """Free every column that none of these texts needs."""
        used = {column for path in paths for column in path}
        self.count = max(used, default=-1) + 1
        self._free = [column for column in range(self.count) if column not in used]


@dataclass(slots=True, eq=False)
class Node:
    """A token in the row's tree."""

    token: int
    path: tuple[int, ...]
    """The cache columns of its ancestors and its own."""
    log_p: float = 0.0
    """Of the text up to here; of a block's token, not filled in."""
    beam: Beam | None = None
    """Of a token of a fill: where its fill begins,"""
    fill: Fill = ()
    """and the fill up to here."""
    policies: set[Policy] = field(default_factory=set)
    """Which of them lead through it."""
    value: float = 0.0
    """log p and rewards of the text up to here,"""
    follow: float = 0.0
    """and log p of the next block's first token after it."""
    accepted: bool = True
    """Whether the seams are sound, and the text is not the human reference."""
    state: Any = None
    """Its hidden state, where a blank follows."""

    @property
    def fills(self) -> tuple[Fill, ...]:
        """All fills of the text up to here."""
        return (*(self.beam.fills if self.beam else ()), self.fill)

    def offers(self, ranked: RankedBeam, reward: Callable[[Fill], float]) -> list[Offer]:
        """The fill up to here with each of the tokens that it could go on with."""
        assert self.beam is not None
        last = len(ranked.tokens) - 1
        return [
            Offer(
                self, token, log_p, self.log_p + log_p + self.beam.reward + reward((*self.fill, token)),
                ranked.near and rank == last,
            )
            for rank, (token, log_p) in enumerate(ranked.tokens)
        ]  # fmt: skip


@dataclass(slots=True, eq=False)
class Beam:
    """A text in play, up to the end of a block."""

    path: tuple[int, ...]
    """The cache columns that hold it."""
    text: tuple[int, ...]
    fills: tuple[Fill, ...]
    log_p: float
    reward: float
    state: Any
    """The hidden state of its last token."""
    parent: Beam | None = None

    @property
    def score(self) -> float:
        """What the search maximises."""
        return self.log_p + self.reward


@dataclass(frozen=True, slots=True)
class Offer:
    """A token that a fill could go on with."""

    node: Node
    token: int
    log_p: float
    value: float
    """log p and rewards of the text with it."""
    near: bool
    """Whether another token nearly took its place."""


@dataclass(slots=True, eq=False)
class Branch:
    """A guess with the next block behind it, as far as it was read."""

    guess: Node
    nodes: list[Node] = field(default_factory=list)
    log_ps: list[float] = field(default_factory=list)
    """Of the block's tokens, weighted; the first is known before anything is read."""
    reward: float = 0.0
    reference: bool = False
    """Whether it is the human reference, which others are held against."""

    @property
    def score(self) -> float:
        """Of all that is known."""
        return self.guess.log_p + math.fsum(self.log_ps) + self.reward

    def text(self, tail: Fill) -> Beam:
        """The text that it has become, with what follows."""
        guess, before = self.guess, self.guess.beam
        assert before is not None
        end = self.nodes[-1] if self.nodes else guess
        return Beam(
            end.path, (*before.text, *guess.fill, *tail), (*before.fills, guess.fill),
            guess.log_p + math.fsum(self.log_ps), self.reward, end.state, before,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RankedBeam:
    """The best tokens of a policy, with their log-probabilities under the model itself."""

    tokens: tuple[tuple[int, float], ...]
    near: bool
    """Whether the next one comes near the last of these."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a distribution over the next token is wanted."""

    row: Search
    state: Any
    beam: Beam
    node: Node | None
    """The last token of a fill; none where a fill begins."""
    policies: Collection[Policy]
    """Whose next tokens are wanted."""
    count: int
    """How many of each policy but the masked words, which have one; 0: only how well the next block would follow."""

    @property
    def fill(self) -> Fill:
        """The fill so far."""
        return self.node.fill if self.node else ()

    @property
    def masked(self) -> int | None:
        """The next of the masked words themselves, where these are what is written."""
        ids = self.row.blank.ids
        return ids[len(self.fill)] if Policy.MASKED in self.policies and len(self.fill) < len(ids) else None

    @property
    def path(self) -> tuple[int, ...]:
        """The cache columns of the text up to here."""
        return self.node.path if self.node else self.beam.path


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the model expects at a head."""

    follow: float
    """log p of the next block's first token."""
    ranked: dict[Policy, RankedBeam]
    """The next tokens by each policy that was asked."""


def best_of(
    items: list[Item],
    score: Callable[[Item], float],
    count: int,
    tie: float,
    *,
    margin: float = 0.0,
    gap: float = math.inf,
) -> tuple[list[Item], bool]:
    """The best `count` in order, and as many again that lie within the margin; whether rounding decides who is.

    Of these, what lies more than `gap` below the best is left out, but for the first `SPARE`.
    """
    order = sorted(items, key=lambda item: -score(item))
    bar = score(order[0]) - gap if order else 0.0
    near = any(abs(score(item) - bar) < tie for item in order[SPARE:])
    order = order[:SPARE] + [item for item in order[SPARE:] if score(item) >= bar]
    if len(order) <= count:
        return order, near
    bar = score(order[count - 1]) - margin
    within = [item for item in order[: 2 * count] if margin and score(item) >= bar]
    end = max(count, len(within))
    near |= end < len(order) and score(order[end - 1]) - score(order[end]) < tie
    if margin:
        near |= any(abs(score(item) - bar) < tie for item in order[count : 2 * count])
    return order[:end], near
