"""One template on its way through the decoder: what it has written, and what it wants next.

A row knows token ids and numbers, no tensors. It alternates between three phases:

    READ      text tokens wait to be read into the cache
    GENERATE  the fills of the current blank grow by one token a step, up to sigma + |B|
    JUDGE     the fills are complete; every length is compared by how well the next block follows

A blank may have two fills at once, the plain one and the planned one: strands that share their tokens up
to where planning first prefers another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.infilling.seams import Seam

TIE = {"float32": 1e-5, "float16": 0.02, "bfloat16": 0.1}
"""Mean log-likelihoods nearer than this could be ordered by the rounding of another batch shape."""
END = -1
"""Stands for the end of the text, the block that follows a last blank: any token that can close a text."""


class Phase(Enum):
    """Where a row stands."""

    READ = auto()
    GENERATE = auto()
    JUDGE = auto()
    DONE = auto()


@dataclass(frozen=True, slots=True)
class TokenBlock:
    """A text block, or a blank with the tokens that it replaced."""

    ids: tuple[int, ...]
    blank: bool
    inside_word: bool = False
    """For a blank: the text before it ends in a letter or digit, so the fill must not start with one."""
    seam: Seam | None = field(default=None, repr=False)
    """For a blank that is searched: what its surroundings ask for."""


@dataclass(frozen=True, slots=True)
class Job:
    """A template as token ids."""

    context: tuple[int, ...]
    """The start token and the context's tokens."""
    blocks: tuple[TokenBlock, ...]
    salt: int = 0
    """Seed of this template's own random numbers, for sampling."""
    informative: tuple[int, ...] = ()
    """First tokens of the context's content words that the reference does not have, in order."""

    @property
    def masked(self) -> tuple[tuple[int, ...], ...]:
        """What the human reference has in the blanks."""
        return tuple(block.ids for block in self.blocks if block.blank)


@dataclass(frozen=True, slots=True)
class Limits:
    """The parameters of generate-judge-revise."""

    sigma: int
    window: int
    keep: int
    horizon: int
    plan: bool = True
    """Whether there is a planner."""
    tie: float = 0.0
    """Judgements nearer than this are too close to call in a batch."""
    compare_unplanned: bool = True
    """Whether the plain fill is grown beside the planned one."""


@dataclass(slots=True)
class Strand:
    """One fill of the current blank as it grows."""

    planned: bool
    tokens: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    """Where the cache holds these tokens."""
    nll: list[float] = field(default_factory=list)
    """NLL of the first t tokens, t = 1 .. L."""
    first_nll: list[float] = field(default_factory=list)
    """NLL of the next block's first token after t tokens."""
    shared: int = 0
    """How many tokens it shares with the strand it was forked from."""

    def fork(self) -> Strand:
        """A planned strand that has written the same so far."""
        return Strand(True, self.tokens[:], self.columns[:], self.nll[:], self.first_nll[:], len(self.tokens))

    def write(self, token: int, column: int, nll: float) -> None:
        """Grow by one token."""
        self.nll.append(nll + (self.nll[-1] if self.nll else 0.0))
        self.tokens.append(token)
        self.columns.append(column)


@dataclass(frozen=True, slots=True)
class Guess:
    """The first `length` tokens of a strand: one possible fill."""

    strand: int
    length: int


@dataclass(frozen=True, slots=True)
class FoundTexts:
    """What was found for a job: the fills of each text, the best first."""

    fills: tuple[tuple[tuple[int, ...], ...], ...]
    good: int
    """How many of them can stand beside the human reference; the others are there for want of better ones."""


@dataclass(slots=True)
class Row:
    """The state of one job."""

    job: Job
    limits: Limits
    slot: int
    context: int
    """Which context this row reads."""
    context_length: int
    block: int = 0
    length: int = 0
    """Tokens in the cache: text read and fills chosen so far."""
    nll: float = 0.0
    """Negative log-likelihood of these tokens, context excluded."""
    pending: list[int] = field(default_factory=list)
    """Text tokens that are not in the cache yet."""
    pending_judged: bool = False
    """Whether the first pending token is already counted in `nll`."""
    history: list[int] = field(default_factory=list)
    """Every token of the augmented reference before the current blank."""
    strands: list[Strand] = field(default_factory=list)
    used: int = 0
    """Cache columns in use, strands included."""
    kept: list[Guess] = field(default_factory=list)
    """The guesses that are judged by the whole window."""
    fills: list[tuple[int, ...]] = field(default_factory=list)
    uncertain: bool = False
    """Whether some choice was so close that rounding could decide it."""
    phase: Phase = Phase.DONE
    hidden: Any = None
    """(2, H): the hidden state of its last token, or of its strands' while it fills a blank."""

    def __post_init__(self) -> None:
        self._enter(0)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.phase is Phase.DONE

    @property
    def texts(self) -> FoundTexts:
        """The one text that was found."""
        return FoundTexts((tuple(self.fills),), 1)

    @property
    def counted(self) -> int:
        """How many tokens `nll` stands for."""
        return self.length + (1 if self.pending_judged else 0)

    @property
    def limit(self) -> int:
        """The most tokens that a fill of the current blank may have."""
        return len(self.job.blocks[self.block].ids) + self.limits.sigma

    @property
    def following(self) -> tuple[int, ...]:
        """The block after the current blank; the end of the document where there is none."""
        after = self.block + 1
        return self.job.blocks[after].ids if after < len(self.job.blocks) else (END,)

    @property
    def window(self) -> int:
        """How many tokens of the following block judge the fill."""
        size = len(self.following)
        return min(size, self.limits.window) if self.limits.window else size

    @property
    def goal(self) -> tuple[int, ...]:
        """The future words that planning is rewarded for; none in an open-ended blank."""
        later = [block.ids for block in self.job.blocks[self.block + 1 :] if not block.blank]
        if self.limits.horizon:
            return later[0][: self.limits.horizon] if later else ()
        return tuple(dict.fromkeys(i for ids in later for i in ids))

    @property
    def branches(self) -> list[tuple[Guess, int]]:
        """The tokens that judging reads: for each guess, places in the following block."""
        return [(guess, offset) for guess in self.kept for offset in range(self.window - 1)]

    @property
    def guesses(self) -> list[Guess]:
        """Every fill that the strands offer, shared ones once."""
        return [
            Guess(number, length)
            for number, strand in enumerate(self.strands)
            for length in range(strand.shared + 1, len(strand.tokens) + 1)
        ]

    def has_read(self, nll: float) -> None:
        """All pending tokens are in the cache; `nll` is of those that were not counted yet."""
        self.nll += nll
        self.length += len(self.pending)
        self.pending, self.pending_judged = [], False
        self._enter(self.block + 1)

    def take_column(self) -> int:
        """A cache column for a new token of a strand."""
        self.used += 1
        return self.used - 1

    def choose(self, guess: Guess, window_nll: float) -> None:
        """End the blank with a guess; the cache holds it and its branch of the following block in order."""
        strand, read = self.strands[guess.strand], self.window - 1
        fill = strand.tokens[: guess.length]
        self.fills.append(tuple(fill))
        self.nll += strand.nll[guess.length - 1] + window_nll
        self.length += guess.length + read
        self.history += [*fill, *self.following]
        self.pending, self.pending_judged = list(self.following[read:]), True
        self.strands, self.kept = [], []
        self.block += 1
        self.phase = Phase.READ if any(block.blank for block in self.job.blocks[self.block :]) else Phase.DONE

    def _enter(self, block: int) -> None:
        """Start with a block, unless no blank is left to fill."""
        self.block = block
        blocks = self.job.blocks[block:]
        if not any(following_block.blank for following_block in blocks):
            self.phase = Phase.DONE
        elif blocks[0].blank:
            self.phase = Phase.GENERATE
            self.strands = [
                Strand(planned=self.limits.plan and not self.limits.compare_unplanned and bool(self.goal))
            ]
            self.used = self.length
        else:
            self.phase = Phase.READ
            self.pending = list(blocks[0].ids)
            self.history += blocks[0].ids


class Slotted(Protocol):
    """What the cache asks of a row."""

    slot: int
    context: int
    context_length: int


AnyRow = TypeVar("AnyRow", bound=Slotted)


@dataclass(frozen=True, slots=True)
class NewTokens(Generic[AnyRow]):
    """What one row reads in a step."""

    row: AnyRow
    ids: list[int]
    columns: list[int]
    positions: list[int]
    """Counted from the row's first column."""
    visible: np.ndarray[Any, np.dtype[np.bool_]]
    """(Q, columns): which of the row's columns each token sees."""


def reading(row: Row) -> NewTokens[Row]:
    """The row's pending text, read after what it has."""
    count = len(row.pending)
    columns = list(range(row.length, row.length + count))
    return NewTokens(row, row.pending, columns, columns, np.tri(count, row.length + count, row.length, bool))


def growing(row: Row, strands: Sequence[Strand]) -> NewTokens[Row]:
    """The newest token of each strand; strands do not see each other."""
    seen = np.zeros((len(strands), row.used), bool)
    seen[:, : row.length] = True
    for index, strand in enumerate(strands):
        seen[index, strand.columns] = True
    return NewTokens(
        row,
        ids=[strand.tokens[-1] for strand in strands],
        columns=[strand.columns[-1] for strand in strands],
        positions=[row.length + len(strand.tokens) - 1 for strand in strands],
        visible=seen,
    )


def judging(row: Row) -> NewTokens[Row]:
    """The next block after each guess: a tree whose branches do not see each other."""
    branches = row.branches
    seen = np.zeros((len(branches), row.used + len(branches)), bool)
    seen[:, : row.length] = True
    for index, (guess, offset) in enumerate(branches):
        seen[index, row.strands[guess.strand].columns[: guess.length]] = True
        branch = row.used + index - offset
        seen[index, branch : branch + offset + 1] = True
    return NewTokens(
        row,
        ids=[row.following[offset] for _, offset in branches],
        columns=list(range(row.used, row.used + len(branches))),
        positions=[row.length + guess.length + offset for guess, offset in branches],
        visible=seen,
    )
