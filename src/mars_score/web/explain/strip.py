"""A strip of scores: the file's distribution, floor and ceiling, and the candidates of one item.

Places are in per cent of the width, so that the strip fits any screen while its letters keep their size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.web.explain.standing import band
from mars_score.web.explain.wording import counted, letter, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.web.explain.standing import Standing

BINS = 40
APART = 5.0
"""Letters that are nearer than this, in per cent, go on different lines."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The scores from one edge of the strip to the other."""

    low: float
    high: float

    def __call__(self, value: float) -> float:
        """Return a score's place in per cent."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    @property
    def ticks(self) -> list[float]:
        """Every fourth part of 1."""
        return [tick / 4 for tick in range(math.ceil(4 * self.low), math.floor(4 * self.high) + 1)]


@dataclass(frozen=True, slots=True)
class Marker:
    """A candidate on the strip."""

    name: str
    at: float
    line: int


@dataclass(frozen=True, slots=True)
class Range:
    """A band of scores: 90% of them, and the middle one."""

    kind: str
    label: str
    start: float
    width: float
    middle: float
    words: str

    @property
    def label_left(self) -> bool:
        """Whether there is more room for the label on the left."""
        return self.start > 100 - self.start - self.width


@dataclass(frozen=True, slots=True)
class Strip:
    """What is drawn."""

    ticks: tuple[tuple[float, str], ...]
    outline: str
    """The histogram as a path in a box of 100 by 100; empty for no scores."""
    ranges: tuple[Range, ...]
    markers: tuple[Marker, ...]
    lines: int
    """How many lines of letters there are."""
    label: str
    """The strip in words."""


def make_strip(standing: Standing, scores: Sequence[float] = ()) -> Strip:
    """Draw a file's scores, and mark those of one item."""
    every = (0.0, 1.0, *standing.scores, *standing.floor, *standing.ceiling, *standing.itself, *scores)
    axis = Axis(math.floor(10 * min(every)) / 10, math.ceil(10 * max(every)) / 10)
    named = (
        ("floor", "unrelated texts", standing.floor),
        ("ceiling", "people against people", standing.ceiling),
        ("itself", "copies of the reference", standing.itself),
    )
    ranges = tuple(_range(kind, label, values, axis) for kind, label, values in named if values)
    markers = _markers([axis(score) for score in scores])
    told = [f"{letter(place)} at {number(score)}" for place, score in enumerate(scores)]
    told += [f"{one.label} {one.words}" for one in ranges]
    told += [f"this page's {counted(len(standing.scores), 'score')}: {_words(standing.scores)}"]
    return Strip(
        ticks=tuple((axis(tick), f"{tick:g}") for tick in axis.ticks),
        outline=_outline(standing.scores, axis),
        ranges=ranges,
        markers=markers,
        lines=max((marker.line + 1 for marker in markers), default=0),
        label="; ".join(told),
    )


def _range(kind: str, label: str, values: Sequence[float], axis: Axis) -> Range:
    found = band(values)
    assert found is not None  # asked only where there are values
    start, end = axis(found.low), axis(found.high)
    width = round(max(end - start, 0.5), 2)
    return Range(kind, label, start, width, axis(found.middle), _words(values))


def _words(values: Sequence[float]) -> str:
    found = band(values)
    if found is None:
        return "none"
    return (
        f"mostly {number(found.low, 2)} to {number(found.high, 2)}, in the middle {number(found.middle, 2)}"
    )


def _markers(places: Sequence[float]) -> tuple[Marker, ...]:
    """Put letters that would overlap on different lines."""
    ends: list[float] = []
    found: dict[int, Marker] = {}
    for number_, at in sorted(enumerate(places), key=lambda pair: pair[1]):
        line = next((line for line, end in enumerate(ends) if at - end >= APART), len(ends))
        ends[line : line + 1] = [at]
        found[number_] = Marker(letter(number_), at, line)
    return tuple(found[place] for place in sorted(found))


def _outline(scores: Sequence[float], axis: Axis) -> str:
    """Return the outline of a histogram."""
    if not scores:
        return ""
    counts = [0] * BINS
    for score in scores:
        counts[min(int(axis(score) / 100 * BINS), BINS - 1)] += 1
    steps, width = ["M0 100"], 100 / BINS
    for place, count in enumerate(counts):
        height = 100 - 100 * count / max(counts)
        steps.append(f"V{height:.4g}H{(place + 1) * width:.4g}")
    return "".join([*steps, "V100Z"])
