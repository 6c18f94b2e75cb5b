"""The page of explanations: one file that fetches nothing.

Numbers are rounded so that they still add up. Places in bars and strips are in per cent of the width, so that they fit
any screen while letters keep their size.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.io.html import assets, environment
from mars_score.version import __version__
from mars_score.web.explain import wording
from mars_score.web.explain.data import adding_up
from mars_score.web.explain.marks import MarkedPiece, marked_pieces
from mars_score.web.explain.reasons import (
    DIGITS,
    REST,
    Share,
    Trust,
    alone,
    in_numbers,
    lead,
    neighbours,
    ranking,
    reason,
    shares,
    trust,
    words_weight,
)
from mars_score.web.explain.standing import ENOUGH, Strip, band, bounds, make_strip, standing_sentences
from mars_score.web.explain.wording import (
    DECIMALS,
    letter,
    number,
    rank_sentence,
    shown_name,
    signed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment
    from markupsafe import Markup

    from mars_score.web.explain.data import (
        ExplainedCandidate,
        ExplainedItem,
        ExplainedReference,
        ExplainedTerm,
    )
    from mars_score.web.explain.standing import Standing

HERE = "mars_score.web.explain"
FILES: tuple[str, ...] = ("explained.css", "explained.js")
"""The files under `templates/` that a page needs to show a fragment; scripts listen on the whole document."""
MARKS = {
    "matched": "in the reference",
    "unsupported": "nobody said so",
    "misplaced": "out of place",
    "copied": "copied from the context",
}
"""The kinds of marks, and what they are called."""
PARTS = {
    "meaning": "How alike whole texts are: the weighted cosine with the reference and its variants.",
    "words": "How well single words match those of the reference and its variants.",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar between two places; `zero` is where nothing is."""

    start: float
    width: float
    zero: float
    below: bool = False
    """Whether it takes away."""


def scaled(values: Sequence[float], low: float = 0.0, high: float = 1.0) -> list[Bar]:
    """Return a bar for each number, from a common zero line on; the scale reaches at least from `low` to `high`."""
    low, high = min([low, *values]), max([high, *values])

    def at(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    return [
        Bar(min(at(0.0), at(value)), round(abs(at(value) - at(0.0)), 2), at(0.0), value < 0)
        for value in values
    ]


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A bar of the small chart: what a part of the score adds or takes away."""

    name: str
    amount: str
    bar: Bar
    value: str
    """The candidate's own value, and what is usual."""
    meaning: str


@dataclass(frozen=True, slots=True)
class SumRow:
    """A line of the sum."""

    term: ExplainedTerm
    weight: float
    """After single words have taken their place."""
    amount: str
    cosine: Bar


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate, its marked words and its sum."""

    letter: str
    candidate: ExplainedCandidate
    score: Bar
    shown: str
    """Its score on the scale that was asked for,"""
    total: str
    """and the sum of its parts."""
    pieces: tuple[MarkedPiece, ...]
    shares: tuple[ShareRow, ...]
    rows: tuple[SumRow, ...]
    standing: tuple[str, ...]
    people: str
    ahead: str = ""
    """How far it is ahead of the next one,"""
    reason: str = ""
    """why, in words,"""
    numbers: str = ""
    """and in numbers."""


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item, its candidates from the highest score down, and what sets them apart."""

    item: ExplainedItem
    candidates: tuple[CandidateView, ...]
    trust: Trust | None
    alone: str
    """Of a single candidate: what is to be said of it."""
    strip: Strip | None

    @property
    def best(self) -> CandidateView:
        """The candidate with the highest score."""
        return self.candidates[0]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of marks that some candidate has."""
        every = {mark.kind for one in self.candidates for mark in one.candidate.marks}
        return tuple(kind for kind in MARKS if kind in every)

    @property
    def held_against(self) -> tuple[int, ...]:
        """The references that candidates were held against."""
        every = {term.reference for one in self.candidates for term in one.candidate.terms}
        return tuple(sorted(number for number in every if number is not None))

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
    order = ranking(item)
    weight = words_weight(item)
    parts = [shares(item.candidates[place], weight) for place in order]
    amounts = [one for every in parts for one in adding_up([share.amount for share in every], DIGITS)]
    low, high = min([0.0, *amounts]), max([0.1, *amounts])  # one scale for all candidates
    scores = scaled([_length(item.candidates[place]) for place in order])
    views = [
        _candidate(place, item.candidates[place], score, _share_rows(part, low, high), weight, standing)
        for place, score, part in zip(order, scores, parts, strict=True)
    ]
    for number_, found in enumerate(neighbours(item)):
        views[number_] = replace(
            views[number_],
            ahead=f"{lead(item, found)} above {letter(found.lower)}",
            reason=reason(item, found),
            numbers=in_numbers(found),
        )
    strip = make_strip(standing, [one.score for one in item.candidates]) if standing else None
    return ItemView(item, tuple(views), trust(item), alone(item.candidates[order[0]]), strip)


def _length(candidate: ExplainedCandidate) -> float:
    """The length of a score's bar."""
    return candidate.score if candidate.percent is None else candidate.percent / 100


def _share_rows(parts: Sequence[Share], low: float, high: float) -> tuple[ShareRow, ...]:
    amounts = adding_up([one.amount for one in parts], DIGITS)
    bars = scaled(amounts, low, high)
    return tuple(
        ShareRow(
            shown_name(one.name),
            signed(amount, DIGITS),
            bar,
            "" if one.name == REST else _value(one),
            PARTS.get(one.name, one.meaning),
        )
        for one, amount, bar in zip(parts, amounts, bars, strict=True)
        if round(amount, DIGITS)
    )


def _value(share: Share) -> str:
    usual = "" if share.usual is None else f", usual {number(share.usual, DIGITS)}"
    return f"{number(share.measured, DIGITS)}{usual}"


def _candidate(
    place: int,
    candidate: ExplainedCandidate,
    score: Bar,
    parts: tuple[ShareRow, ...],
    taken: float,
    standing: Standing | None,
) -> CandidateView:
    terms = candidate.terms
    cosines = scaled([term.cosine for term in terms])
    amounts = adding_up([(1 - taken) * term.contribution for term in terms], DECIMALS)
    rows = [
        SumRow(term, (1 - taken) * term.weight, number(amount), bar)
        for term, amount, bar in zip(terms, amounts, cosines, strict=True)
    ]
    return CandidateView(
        letter=letter(place),
        candidate=candidate,
        score=score,
        shown=wording.shown_score(candidate, DIGITS),
        total=number(candidate.score, DIGITS),
        pieces=tuple(marked_pieces(candidate.text, candidate.marks)),
        shares=parts,
        rows=tuple(rows),
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
            enough=ENOUGH,
            overlap=_overlap(standing) if standing else False,
            flags=sorted(Counter(flag for item in explained for flag in item.flags).items()),
            rows=sum(len(item.candidates) for item in explained),
            ratios=wording.listed([wording.percent(ratio) for ratio in _ratios(explained)]),
            percent_scale=any(one.percent is not None for item in explained for one in item.candidates),
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
    floor, ceiling = bounds(standing)
    return bool(floor and ceiling and ceiling.middle <= floor.high)


def _ratios(explained: Sequence[ExplainedItem]) -> list[float]:
    every = (one.ratio for item in explained for reference in item.references for one in reference.variants)
    return sorted({ratio for ratio in every if ratio})


def reference_pieces(reference: ExplainedReference) -> list[tuple[str, str, int]]:
    """Cut a reference into its words, each with the gap before it and its place, to which lines can lead."""
    ends = accumulate(len(word.gap) + len(word.text) for word in reference.words)
    return [
        (word.gap, word.text, end - len(word.text)) for word, end in zip(reference.words, ends, strict=True)
    ]


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
        mark_name=MARKS.__getitem__,
        reference_pieces=reference_pieces,
        meaning=lambda flag: flags.MEANING.get(flag, flag),
        plain=lambda name: name.replace("_", " "),
    )
    return made
