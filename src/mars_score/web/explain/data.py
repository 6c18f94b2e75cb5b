"""What an explanation consists of: frozen data, ready for JSON, with ranks and rounding."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.masking.tagging import Tag
    from mars_score.types import Adjustment


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; the pieces of a text join to the whole of it."""

    text: str
    marked: bool
    """In a template: a blank, with the words that it hides. In an augmented reference: the language model's words."""


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """A run of the context."""

    text: str
    references: tuple[int, ...]
    """Which references share it with the context (their numbers from 0); there its words are dear to mask."""


@dataclass(frozen=True, slots=True)
class ExplainedWord:
    """A word of a reference and what decided whether it was masked."""

    text: str
    gap: str
    """The white space before it."""
    part_of_speech: Tag
    idf: float
    priority: float
    cost: int
    shared: bool
    """Whether it lies on the longest common subsequence with the context."""
    masked_at: tuple[float, ...]
    """The ratios at which it was masked."""


@dataclass(frozen=True, slots=True)
class ExplainedVariant:
    """A reference at one masking ratio: what was blanked out, and what stands there instead."""

    ratio: float
    """0 is the reference as it was written."""
    template: tuple[Piece, ...]
    segments: tuple[Piece, ...]
    text: str

    @property
    def blanks(self) -> int:
        """How many blanks there were to fill."""
        return sum(piece.marked for piece in self.template)


@dataclass(frozen=True, slots=True)
class ExplainedReference:
    """A reference, its words, and its variants by rising ratio."""

    text: str
    words: tuple[ExplainedWord, ...]
    variants: tuple[ExplainedVariant, ...]

    @property
    def first_masked(self) -> tuple[ExplainedWord, ...]:
        """The words in the order in which they are wanted for blanks: cheap ones, and of these the least needed."""
        return tuple(sorted(self.words, key=lambda word: (word.cost, -word.priority)))


@dataclass(frozen=True, slots=True)
class ExplainedTerm:
    """One term of the sum: how alike the candidate and a variant are, times how much that counts."""

    reference: int | None
    """Which of the item's references (from 0); None for a text that is none of theirs."""
    ratio: float
    segments: tuple[Piece, ...]
    cosine: float
    weight: float
    contribution: float


MarkKind = Literal["matched", "unsupported", "misplaced", "copied"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What some words of a candidate did."""

    kind: MarkKind
    start: int
    """Where they begin in the candidate, in characters."""
    end: int
    text: str
    note: str
    """One sentence for a reader."""
    counts: float = 0.0
    """How rare a matched word is: the rarer, the more its match says."""
    reference: int | None = None
    """Of a matched word: which reference has its partner (from 0),"""
    partner: str = ""
    """which word that is,"""
    partner_start: int = 0
    """and where it begins."""


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate and the sum that is its score."""

    id: str
    text: str
    """As it was scored, which is after cleaning."""
    written: str
    """As it was given."""
    score: float
    terms: tuple[ExplainedTerm, ...]
    adjustments: tuple[Adjustment, ...]
    rest: float
    """What terms and adjustments leave to the score; 0 but for a formula with further parts, as a bound."""
    flags: tuple[str, ...]
    marks: tuple[Mark, ...] = ()
    """In the order of the text; they may overlap."""
    copied: float = 0.0
    """The share of its words that stand in runs copied from the context."""
    percent: float | None = None
    """The score on the percent scale, where that was chosen."""
    others: dict[str, float | None] = field(default_factory=dict)
    """What other metrics say of it."""
    human: float | None = None
    """People's rating, where it is known."""
    score_rank: float | None = None
    """Among the rated candidates: the share of the others whose score is lower. A tie counts half."""
    human_rank: float | None = None
    """The same by people's ratings."""

    @property
    def disagreement(self) -> float | None:
        """How much higher the metric ranks this candidate than people do, from -1 to 1."""
        if self.score_rank is None or self.human_rank is None:
            return None
        return self.score_rank - self.human_rank


@dataclass(frozen=True, slots=True)
class ExplainedItem:
    """A context with its references, and every candidate that was written for it."""

    number: int
    """Its place in the file, from 1."""
    context: tuple[ContextPiece, ...]
    references: tuple[ExplainedReference, ...]
    candidates: tuple[ExplainedCandidate, ...]
    """In the order of the file."""
    rule: Literal["best", "mean"]
    """Of several references: the one that gives the highest sum counts, or the mean of all."""

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags of all candidates."""
        return tuple(sorted({flag for candidate in self.candidates for flag in candidate.flags}))

    @property
    def context_text(self) -> str:
        """The context as it was scored."""
        return "".join(piece.text for piece in self.context)


def as_dict(item: ExplainedItem) -> dict[str, Any]:
    """Return an item as plain data that can be written as JSON."""
    return asdict(item)


def adding_up(values: Sequence[float], decimals: int) -> list[float]:
    """Round numbers so that they add up to their rounded sum; each moves by less than one unit.

    All are rounded down, and then those that lost most are given a unit back (Hamilton's method).
    """
    scaled = [value * 10**decimals for value in values]
    units = [math.floor(value) for value in scaled]
    missing = round(sum(scaled)) - sum(units)
    lost = sorted(range(len(values)), key=lambda place: units[place] - scaled[place])
    for place in lost[:missing]:
        units[place] += 1
    return [unit / 10**decimals for unit in units]


def share_below(value: float, ordered: Sequence[float]) -> float:
    """Return the share of sorted numbers that are lower; one that is equal counts half."""
    return (bisect_left(ordered, value) + bisect_right(ordered, value)) / (2 * len(ordered))


def rank(value: float, ordered: Sequence[float]) -> float:
    """Return the share of the other numbers that are lower; `ordered` are sorted and have this one among them."""
    return (bisect_left(ordered, value) + bisect_right(ordered, value) - 1) / (2 * (len(ordered) - 1))


def with_ranks(items: Sequence[ExplainedItem]) -> tuple[ExplainedItem, ...]:
    """Rank the candidates that people rated, by score and by rating; fewer than two have no ranks."""
    rated = [one for item in items for one in item.candidates if one.human is not None]
    if len(rated) < 2:
        return tuple(items)
    scores = sorted(one.score for one in rated)
    ratings = sorted(one.human for one in rated if one.human is not None)
    return tuple(
        replace(
            item,
            candidates=tuple(
                one
                if one.human is None
                else replace(one, score_rank=rank(one.score, scores), human_rank=rank(one.human, ratings))
                for one in item.candidates
            ),
        )
        for item in items
    )
