"""One template on its way through the decoder: what it has written, and what it wants next.

A row knows token ids and numbers, no tensors. It alternates between three phases:

    READ      text tokens wait to be read into the cache
    GENERATE  the fill of the current blank grows by one token a step, up to sigma + |B|
    JUDGE     the fill is complete; its lengths are compared by how well the next block follows
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto


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


@dataclass(frozen=True, slots=True)
class Job:
    """A template as token ids."""

    context: tuple[int, ...]
    """The start token and the context's tokens."""
    blocks: tuple[TokenBlock, ...]
    salt: int = 0
    """Seed of this template's own random numbers, for sampling."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The parameters of generate-judge-revise."""

    sigma: int
    window: int
    keep: int
    horizon: int
    end: int
    """The end-of-document token: the block that follows a last blank."""


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
    """Every token of the augmented reference so far, pending ones included."""
    fill: list[int] = field(default_factory=list)
    fill_nll: list[float] = field(default_factory=list)
    """NLL of the first t tokens of the fill, t = 1 .. L."""
    first_nll: list[float] = field(default_factory=list)
    """NLL of the next block's first token after t fill tokens."""
    kept: list[int] = field(default_factory=list)
    """The lengths that are judged by the whole window."""
    fills: list[tuple[int, ...]] = field(default_factory=list)
    uncertain: bool = False
    """Whether some choice was so close that rounding could decide it."""
    phase: Phase = Phase.DONE

    def __post_init__(self) -> None:
        self._enter(0)

    @property
    def counted(self) -> int:
        """How many tokens `nll` stands for."""
        return self.length + (1 if self.pending_judged else 0)

    @property
    def limit(self) -> int:
        """The longest fill of the current blank."""
        return len(self.job.blocks[self.block].ids) + self.limits.sigma

    @property
    def following(self) -> tuple[int, ...]:
        """The block after the current blank; the end of the document where there is none."""
        after = self.block + 1
        return self.job.blocks[after].ids if after < len(self.job.blocks) else (self.limits.end,)

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
    def branches(self) -> list[tuple[int, int]]:
        """The tokens that judging reads, as (length, place in the following block)."""
        return [(length, place) for length in self.kept for place in range(self.window - 1)]

    def has_read(self, nll: float) -> None:
        """All pending tokens are in the cache; `nll` is of those that were not counted yet."""
        self.nll += nll
        self.length += len(self.pending)
        self.pending, self.pending_judged = [], False
        self._enter(self.block + 1)

    def write(self, token: int, nll: float) -> None:
        """Grow the fill by one token."""
        self.fill_nll.append(nll + (self.fill_nll[-1] if self.fill_nll else 0.0))
        self.fill.append(token)

    def choose(self, length: int, window_nll: float) -> None:
        """End the blank with the first `length` tokens of the fill; the cache holds them and the branch."""
        read = self.window - 1
        self.fills.append(tuple(self.fill[:length]))
        self.nll += self.fill_nll[length - 1] + window_nll
        self.length += length + read
        self.history += [*self.fill[:length], *self.following]
        self.pending, self.pending_judged = list(self.following[read:]), True
        self.fill, self.fill_nll, self.first_nll, self.kept = [], [], [], []
        self.block += 1
        self.phase = Phase.READ if any(block.blank for block in self.job.blocks[self.block :]) else Phase.DONE

    def _enter(self, block: int) -> None:
        """Start with a block, unless no blank is left to fill."""
        self.block = block
        blocks = self.job.blocks[block:]
        if not any(one.blank for one in blocks):
            self.phase = Phase.DONE
        elif blocks[0].blank:
            self.phase = Phase.GENERATE
        else:
            self.phase = Phase.READ
            self.pending = list(blocks[0].ids)
            self.history += blocks[0].ids
