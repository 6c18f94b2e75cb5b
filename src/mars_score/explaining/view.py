"""An explained item as its template shows it: numbers rounded so that they add up, bars, and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.explaining.bars import Bar, falling, scaled
from mars_score.explaining.differences import difference, neighbours, ranking
from mars_score.explaining.rounding import adding_up
from mars_score.explaining.strip import Strip, make_strip
from mars_score.explaining.wording import (
    DECIMALS,
    REST,
    difference_sentence,
    letter,
    number,
    rank_sentence,
    reading,
    signed,
    standing_sentences,
)

if TYPE_CHECKING:
    from mars_score.explaining.explained import ExplainedCandidate, ExplainedItem, Term
    from mars_score.explaining.standing import Standing
    from mars_score.types import Adjustment


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
