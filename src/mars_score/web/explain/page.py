"""The page of explanations: one file that fetches nothing; numbers rounded so that they add up, bars."""

from __future__ import annotations

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
from mars_score.web.explain.strip import Strip, make_strip
from mars_score.web.explain.wording import (
    DECIMALS,
    REST,
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
    from mars_score.web.explain.data import ExplainedCandidate, ExplainedItem, Term
    from mars_score.web.explain.standing import Standing


# Bars for numbers: places in per cent of a bar's width.


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


# An explained item as its template shows it: numbers rounded so that they add up, bars, and sentences.


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the sum."""

    amount: str
    bar: Bar
    term: Term | None = None
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
    rows: tuple[Row, ...]
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
        Row(number(amount), bar, term=term, cosine=cosine, weight=weight)
        for amount, bar, term, cosine, weight in zip(shown, bars, terms, cosines, weights, strict=False)
    ]
    rest = zip(shown[len(terms) :], bars[len(terms) :], strict=True)
    for (amount, bar), one in zip(rest, [*adjustments, None], strict=False):
        rows.append(Row(signed(amount), bar, adjustment=one, rest="" if one else REST))
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


# The page of explanations: one file that asks nobody for anything; or the items alone.

HERE = "mars_score.web.explain"
FILES: tuple[str, ...] = ("explained.css", "explained.js")
"""The files under `templates/` that a page needs to show a fragment; scripts listen on the whole document."""


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
