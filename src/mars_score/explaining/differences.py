"""Candidates of one item side by side: who is ahead, and which terms of the sum made the difference."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mars_score.explaining.explained import ExplainedCandidate, ExplainedItem

Kind = Literal["ratio", "adjustment", "rest"]
Source = tuple[Kind, float, str]
"""A place in the sum: a masking ratio, or an adjustment by its name."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one place in the sum adds to a difference."""

    kind: Kind
    ratio: float
    """Of a ``ratio``; else 0."""
    name: str
    """Of an ``adjustment``; else empty."""
    amount: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one candidate is ahead of another, and by what; the parts sum to the amount."""

    higher: int
    """The candidates' places in the item."""
    lower: int
    amount: float
    parts: tuple[Part, ...]
    """The largest first."""
    references: tuple[tuple[int, ...], tuple[int, ...]]
    """The references (from 0) that the sums of the two are about."""


def ranking(item: ExplainedItem) -> tuple[int, ...]:
    """Return the places of the candidates, the highest score first; equal ones in the order of the file."""
    places = range(len(item.candidates))
    return tuple(sorted(places, key=lambda place: -item.candidates[place].score))


def neighbours(item: ExplainedItem) -> tuple[Difference, ...]:
    """Return how far each candidate is ahead of the next one in the ranking."""
    order = ranking(item)
    return tuple(difference(item, higher, lower) for higher, lower in itertools.pairwise(order))


def difference(item: ExplainedItem, higher: int, lower: int) -> Difference:
    """Return what sets two candidates apart."""
    first, second = item.candidates[higher], item.candidates[lower]
    ahead, behind = _sources(first), _sources(second)
    parts = [
        Part(*source, ahead.get(source, 0.0) - behind.get(source, 0.0))
        for source in dict.fromkeys([*ahead, *behind])
    ]
    parts.sort(key=lambda part: -abs(part.amount))
    references = _references(first), _references(second)
    return Difference(higher, lower, first.score - second.score, tuple(parts), references)


def _sources(candidate: ExplainedCandidate) -> dict[Source, float]:
    """Return what each place in the sum adds; samples and references of one ratio are one place."""
    found: dict[Source, float] = {}
    for term in candidate.terms:
        source: Source = ("ratio", term.ratio, "")
        found[source] = found.get(source, 0.0) + term.contribution
    for one in candidate.adjustments:
        source = ("adjustment", 0.0, one.name)
        found[source] = found.get(source, 0.0) + one.amount
    if candidate.rest:
        found["rest", 0.0, ""] = candidate.rest
    return found


def _references(candidate: ExplainedCandidate) -> tuple[int, ...]:
    return tuple(sorted({term.reference for term in candidate.terms if term.reference is not None}))
