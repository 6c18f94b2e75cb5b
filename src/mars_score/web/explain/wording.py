"""Explanations in plain words: who is ahead, which terms made the difference, what a number means."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mars_score.web.explain.data import adding_up
from mars_score.web.explain.standing import band, placing

if TYPE_CHECKING:
    from mars_score.web.explain.data import ExplainedCandidate, ExplainedItem, ExplainedWord
    from mars_score.web.explain.standing import Standing


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


DECIMALS = 3
MINUS = "\N{MINUS SIGN}"
REST = "what else the formula does"


def number(value: float, decimals: int = DECIMALS) -> str:
    """Show a number with a true minus sign; what rounds to zero has none."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", MINUS)


def signed(value: float, decimals: int = DECIMALS) -> str:
    """Show a number that is added or taken away."""
    shown = number(value, decimals)
    return shown if shown.startswith(MINUS) else f"+{shown}"


def percent(value: float) -> str:
    """Show a share of 1."""
    return f"{value:.0%}"


def share_of(value: float) -> str:
    """Show a share as what it is of something: ``none of``, ``37% of``, ``all of``."""
    shown = percent(value)
    return {"0%": "none", "100%": "all"}.get(shown, shown) + " of"


def counted(count: int, one: str, many: str = "") -> str:
    """Return ``1 row`` or ``2 rows``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def letter(place: int) -> str:
    """Name the candidates of an item A, B, ..., Z, AA, AB, ..."""
    before, last = divmod(place, 26)
    return (letter(before - 1) if before else "") + chr(ord("A") + last)


def variant_name(ratio: float) -> str:
    """Name a reference at a masking ratio."""
    return f"the {percent(ratio)} reference" if ratio else "the reference itself"


def part_name(part: Part) -> str:
    """Name what a difference comes from."""
    if part.kind == "ratio":
        return variant_name(part.ratio)
    return part.name.replace("_", " ") if part.kind == "adjustment" else REST


def listed(parts: list[str]) -> str:
    """Return ``a, b and c``."""
    return " and ".join(part for part in (", ".join(parts[:-1]), parts[-1] if parts else "") if part)


def difference_sentence(found: Difference) -> str:
    """Say who is ahead, by how much and why: ``B is 0.120 above A: 0.090 from the 20% reference ...``."""
    higher, lower = letter(found.higher), letter(found.lower)
    # The parts are listed with the largest first, and add up as they are printed.
    amounts = adding_up([part.amount for part in found.parts], DECIMALS)
    told = [(amount, part_name(part)) for part, amount in zip(found.parts, amounts, strict=True)]
    gains = [f"{number(amount)} from {name}" for amount, name in told if amount > 0]
    losses = [f"{number(-amount)} from {name}" for amount, name in told if amount < 0]
    if not round(sum(amounts), DECIMALS):
        return f"{higher} and {lower} are equal."
    about = ""
    if found.references[0] != found.references[1]:
        ours, theirs = (listed([str(one + 1) for one in numbers]) for numbers in found.references)
        about = f" {higher} was held against reference {ours}, {lower} against reference {theirs}."
    less = f", less {listed(losses)}" if losses else ""
    return f"{higher} is {number(sum(amounts))} above {lower}: {listed(gains)}{less}.{about}"


def reading(candidate: ExplainedCandidate) -> str:
    """Say in a sentence or two what a candidate's sum consists of."""
    if not candidate.terms:
        return ""
    nearest = max(candidate.terms, key=lambda term: term.cosine)
    farthest = min(candidate.terms, key=lambda term: term.cosine)
    if number(nearest.cosine) == number(farthest.cosine):
        alike = f"It is equally close to every variant of the reference (cosine {number(nearest.cosine)})."
    else:
        alike = (
            f"It is closest to {variant_name(nearest.ratio)} (cosine {number(nearest.cosine)}) "
            f"and farthest from {variant_name(farthest.ratio)} ({number(farthest.cosine)})."
        )
    written = sum(term.contribution for term in candidate.terms if not term.ratio)
    augmented = sum(term.contribution for term in candidate.terms if term.ratio)
    changed = sum(one.amount for one in candidate.adjustments) + candidate.rest
    from_written, from_augmented, change = adding_up([written, augmented, changed], DECIMALS)
    told = (
        f"Of the score, {number(from_written)} comes from the reference as it was written "
        f"and {number(from_augmented)} from its variants"
    )
    if not change:
        return f"{alike} {told}."
    verb = "add" if change > 0 else "take away"
    return f"{alike} {told}; adjustments {verb} {number(abs(change))}."


def word_tip(word: ExplainedWord) -> str:
    """Say what decided about a word."""
    shared = ", as the context has it too" if word.shared else ""
    masked = f"masked at {listed([percent(ratio) for ratio in word.masked_at])}" if word.masked_at else "kept"
    return (
        f"{word.text}: {word.part_of_speech}, IDF {word.idf:.2f}, priority {word.priority:.3f}, "
        f"cost {word.cost}{shared}; {masked}"
    )


def standing_sentences(standing: Standing, score: float) -> list[str]:
    """Say where a score stands in its file, above the floor and below the ceiling."""
    place, floor, ceiling = placing(standing, score), band(standing.floor), band(standing.ceiling)
    above = []
    if place.above_scores is not None:
        above.append(f"{share_of(place.above_scores)} the other candidates on this page")
    if place.above_floor is not None:
        above.append(f"{share_of(place.above_floor)} the unrelated texts")
    told = [f"higher than {listed(above)}"] if above else []
    if place.way is not None and floor and ceiling:
        if place.way >= 1:
            told.append(f"at or above the middle of the ceiling ({number(ceiling.middle)})")
        elif place.way <= 0:
            told.append(f"not above the middle of the floor ({number(floor.middle)})")
        else:
            span = f"from the floor ({number(floor.middle)}) to the ceiling ({number(ceiling.middle)})"
            told.append(f"{percent(place.way)} of the way {span}")
    return told


def rank_sentence(candidate: ExplainedCandidate) -> str:
    """Say whether people and the metric see a candidate alike; empty where nobody rated it."""
    if candidate.human is None:
        return ""
    told = f"People gave it {number(candidate.human, 2)}"
    if candidate.human_rank is None or candidate.score_rank is None or candidate.disagreement is None:
        return f"{told}."
    verdict = "about as high as people do"
    if abs(candidate.disagreement) >= 0.1:
        verdict = "higher than people do" if candidate.disagreement > 0 else "lower than people do"
    return (
        f"{told}, more than {share_of(candidate.human_rank)} the other rated candidates got; its score is higher "
        f"than that of {share_of(candidate.score_rank).removesuffix(' of')}. The metric ranks it {verdict}."
    )
