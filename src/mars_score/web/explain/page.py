"""The page of explanations: one file that fetches nothing.

Numbers are rounded so that they still add up. Places in bars and strips are in per cent of the width, so that they fit
any screen while letters keep their size.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.io.html import assets, environment
from mars_score.version import __version__
from mars_score.web.explain import wording
from mars_score.web.explain.data import adding_up
from mars_score.web.explain.standing import band
from mars_score.web.explain.wording import (
    DECIMALS,
    REST,
    counted,
    difference,
    difference_sentence,
    letter,
    neighbours,
    number,
    rank_sentence,
    ranking,
    reading,
    signed,
    standing_sentences,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment
    from markupsafe import Markup

    from mars_score.types import Adjustment
    from mars_score.web.explain.data import ExplainedCandidate, ExplainedItem, ExplainedTerm
    from mars_score.web.explain.standing import Standing

HERE = "mars_score.web.explain"
FILES: tuple[str, ...] = ("explained.css", "explained.js")
"""The files under `templates/` that a page needs to show a fragment; scripts listen on the whole document."""
BINS = 40
APART = 5.0
"""Letters that are nearer than this, in per cent, go on different lines."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar between two places; `zero` is where nothing is."""

    start: float
    width: float
    zero: float
    below: bool = False
    """Whether it takes away."""


def scaled(values: Sequence[float]) -> list[Bar]:
    """Return a bar for each number, from 0 on; all have one scale, which reaches at least from 0 to 1."""
    return _bars([(0.0, value) for value in values])


def falling(amounts: Sequence[float]) -> list[Bar]:
    """Return bars that begin where the one before ended, so that one sees them add up; the last is their sum."""
    ends = list(accumulate(amounts, initial=0.0))
    return _bars([*pairwise(ends), (0.0, ends[-1])])


def _bars(spans: Sequence[tuple[float, float]]) -> list[Bar]:
    places = [place for span in spans for place in span]
    low, high = min([0.0, *places]), max([1.0, *places])

    def at(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    return [
        Bar(min(at(start), at(end)), round(abs(at(end) - at(start)), 2), at(0.0), end < start)
        for start, end in spans
    ]


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


@dataclass(frozen=True, slots=True)
class SumRow:
    """A line of the sum."""

    amount: str
    bar: Bar
    term: ExplainedTerm | None = None
    cosine: Bar | None = None
    weight: Bar | None = None
    adjustment: Adjustment | None = None
    rest: str = ""


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate and its sum."""

    letter: str
    candidate: ExplainedCandidate
    score: Bar
    rows: tuple[SumRow, ...]
    total: str
    total_bar: Bar
    reading: str
    standing: tuple[str, ...]
    people: str


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item, its candidates from the highest score down, and what sets them apart."""

    item: ExplainedItem
    candidates: tuple[CandidateView, ...]
    differences: tuple[str, ...]
    strip: Strip | None

    @property
    def best(self) -> CandidateView:
        """The candidate with the highest score."""
        return self.candidates[0]

    @property
    def shared_flags(self) -> tuple[str, ...]:
        """The flags of every one of several candidates; they are told once."""
        if len(self.candidates) == 1:
            return ()
        return tuple(
            flag for flag in self.item.flags if all(flag in one.candidate.flags for one in self.candidates)
        )

    @property
    def apart(self) -> float | None:
        """The largest disagreement with people among the candidates."""
        found = [one.candidate.disagreement for one in self.candidates]
        return max((abs(value) for value in found if value is not None), default=None)


def item_view(item: ExplainedItem, standing: Standing | None) -> ItemView:
    """Prepare an item for its template."""
    scores = scaled([one.score for one in item.candidates])
    order = ranking(item)
    told = [difference_sentence(found) for found in neighbours(item)]
    if len(order) > 2:
        told.append(f"From first to last: {difference_sentence(difference(item, order[0], order[-1]))}")
    return ItemView(
        item,
        tuple(_candidate(place, item.candidates[place], scores[place], standing) for place in order),
        tuple(told),
        make_strip(standing, [one.score for one in item.candidates]) if standing else None,
    )


def _candidate(
    place: int, candidate: ExplainedCandidate, score: Bar, standing: Standing | None
) -> CandidateView:
    terms, adjustments = candidate.terms, candidate.adjustments
    amounts = [term.contribution for term in terms] + [one.amount for one in adjustments]
    amounts += [candidate.rest] if candidate.rest else []
    shown = adding_up(amounts, DECIMALS)
    *bars, total = falling(amounts)
    cosines, weights = scaled([term.cosine for term in terms]), scaled([term.weight for term in terms])
    rows = [
        SumRow(number(amount), bar, term=term, cosine=cosine, weight=weight)
        for amount, bar, term, cosine, weight in zip(shown, bars, terms, cosines, weights, strict=False)
    ]
    rest = zip(shown[len(terms) :], bars[len(terms) :], strict=True)
    for (amount, bar), one in zip(rest, [*adjustments, None], strict=False):
        rows.append(SumRow(signed(amount), bar, adjustment=one, rest="" if one else REST))
    return CandidateView(
        letter=letter(place),
        candidate=candidate,
        score=score,
        rows=tuple(rows),
        total=number(sum(shown)),
        total_bar=total,
        reading=reading(candidate),
        standing=tuple(standing_sentences(standing, candidate.score)) if standing else (),
        people=rank_sentence(candidate),
    )


def to_page(
    explained: Sequence[ExplainedItem],
    standing: Standing | None,
    *,
    signature: str,
    source: str,
    left_out: int = 0,
) -> str:
    """Return the whole page; `left_out` is how many rows of the source are not on it."""
    return (
        _environment()
        .get_template("explain.html.j2")
        .render(
            items=[item_view(item, standing) for item in explained],
            standing=standing,
            strip=make_strip(standing) if standing else None,
            overlap=_overlap(standing) if standing else False,
            flags=sorted(Counter(flag for item in explained for flag in item.flags).items()),
            rows=sum(len(item.candidates) for item in explained),
            ratios=wording.listed([wording.percent(ratio) for ratio in _ratios(explained)]),
            rated=any(one.disagreement is not None for item in explained for one in item.candidates),
            signature=signature,
            source=source,
            left_out=left_out,
            version=__version__,
            assets=assets(HERE, *FILES, "explain.css", "explain.js"),
        )
    )


def fragment(explained: Sequence[ExplainedItem], standing: Standing | None = None) -> Markup:
    """Return the items alone, to be put inside another page that has the `FILES`."""
    from markupsafe import Markup

    items = [item_view(item, standing) for item in explained]
    return Markup(_environment().get_template("fragment.html.j2").render(items=items))


def _overlap(standing: Standing) -> bool:
    floor, ceiling = band(standing.floor), band(standing.ceiling)
    return bool(floor and ceiling and ceiling.middle <= floor.high)


def _ratios(explained: Sequence[ExplainedItem]) -> list[float]:
    every = (one.ratio for item in explained for reference in item.references for one in reference.variants)
    return sorted({ratio for ratio in every if ratio})


@cache
def _environment() -> Environment:
    made = environment(HERE)
    made.filters.update(
        number=wording.number,
        percent=wording.percent,
        counted=wording.counted,
        variant_name=wording.variant_name,
        word_tip=wording.word_tip,
        band=band,
        meaning=lambda flag: flags.MEANING.get(flag, flag),
        plain=lambda name: name.replace("_", " "),
    )
    return made
