"""Why one candidate is ahead of another: the parts of their scores, in one sentence, and how far to trust it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.io.html import isolated, shortened
from mars_score.metrics.registry import METRICS
from mars_score.web.explain.data import adding_up
from mars_score.web.explain.wording import counted, letter, listed, number, shown_name, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mars_score.web.explain.data import ExplainedCandidate, ExplainedItem, Mark

MEANING, WORDS, REST = "meaning", "words", "rest"
DIGITS = 2
"""Of a part that is told: what rounds to 0 is not told at all."""
WEIGHTY = 0.2
"""A part that makes less of a difference than this share of it is no reason."""
CLOSE = 0.03
"""Scores that are nearer than this are called close."""
PHRASES = {
    "relevance": ("stays with the context", "is off the topic"),
    "fluency": ("reads smoothly", "has words out of place"),
    "likelihood": ("is what one expects to read here", "is not what one expects to read here"),
    "unlikely": ("reads like a text of its own", "reads like words at random, or copies the context"),
    "facts": ("says nothing that is not borne out", "says what neither context nor reference says"),
    "copying": ("uses words of its own", "copies the context"),
    "echo": ("does not repeat the context", "repeats the context"),
}
"""What the better and what the worse one of two does, by the name of an adjustment."""
MARKED = {"fluency": "misplaced", "facts": "unsupported", "copying": "copied"}
"""The words that go with an adjustment."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a score: what it adds, and the candidate's own value behind it."""

    name: str
    amount: float
    measured: float
    usual: float | None = None
    """What is usual among the references; for meaning and words there is nothing of the kind."""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """What one part of two scores adds to their difference."""

    name: str
    amount: float
    higher: Share | None
    lower: Share | None


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one candidate is ahead of another, and by what; the parts sum to the amount."""

    higher: int
    """The candidates' places in the item."""
    lower: int
    amount: float
    parts: tuple[Gap, ...]
    """The largest first."""


def words_weight(item: ExplainedItem) -> float:
    """How much single words count in the place of cosines, as the scores themselves tell; 0 if not at all."""
    for candidate in item.candidates:
        for one in candidate.adjustments:
            if one.name == WORDS and abs(one.measured - one.usual) > 1e-6:
                return one.amount / (one.measured - one.usual)
    return 0.0


def shares(candidate: ExplainedCandidate, weight: float) -> tuple[Share, ...]:
    """Return the parts that sum to a score.

    The match of single words takes the place of some of the cosines. As an adjustment it is what that changes, which
    is a loss wherever words match less than whole texts do; here each is told as what it adds.
    """
    whole = sum(term.contribution for term in candidate.terms)
    matched = next((one for one in candidate.adjustments if one.name == WORDS), None)
    found = []
    if matched is None or not weight:
        found.append(Share(MEANING, whole + (matched.amount if matched else 0.0), whole))
    else:
        own = weight * matched.measured
        found.append(Share(MEANING, whole + matched.amount - own, whole))
        found.append(Share(WORDS, own, matched.measured))
    found += [
        Share(one.name, one.amount, one.measured, one.usual, one.meaning)
        for one in candidate.adjustments
        if one is not matched
    ]
    return (*found, *([Share(REST, candidate.rest, candidate.rest)] if candidate.rest else []))


def ranking(item: ExplainedItem) -> tuple[int, ...]:
    """Return the places of the candidates, the highest score first; equal ones in the order of the file."""
    places = range(len(item.candidates))
    return tuple(sorted(places, key=lambda place: -item.candidates[place].score))


def neighbours(item: ExplainedItem) -> tuple[Difference, ...]:
    """Return how far each candidate is ahead of the next one in the ranking."""
    return tuple(difference(item, higher, lower) for higher, lower in itertools.pairwise(ranking(item)))


def difference(item: ExplainedItem, higher: int, lower: int) -> Difference:
    """Return what sets two candidates apart."""
    first, second = item.candidates[higher], item.candidates[lower]
    weight = words_weight(item)
    ours, theirs = ({one.name: one for one in shares(each, weight)} for each in (first, second))
    parts = [
        Gap(name, _amount(ours.get(name)) - _amount(theirs.get(name)), ours.get(name), theirs.get(name))
        for name in dict.fromkeys([*ours, *theirs])
    ]
    parts.sort(key=lambda part: -abs(part.amount))
    return Difference(higher, lower, first.score - second.score, tuple(parts))


def _amount(share: Share | None) -> float:
    return share.amount if share else 0.0


def lead(item: ExplainedItem, found: Difference) -> str:
    """Say how far one candidate is ahead, on the scale that was asked for: ``0.23``, or ``26 points`` of 100."""
    higher, lower = (item.candidates[place].percent for place in (found.higher, found.lower))
    points = 0 if higher is None or lower is None else round(higher) - round(lower)
    # Beyond its two ends the percent scale tells no difference.
    return counted(points, "point") if points > 0 else number(found.amount, DIGITS)


def in_numbers(found: Difference) -> str:
    """Say by how much one is ahead, part by part: ``A is 0.23 above B: words +0.15 (0.62 against 0.42), ...``."""
    higher, lower = letter(found.higher), letter(found.lower)
    amounts = adding_up([part.amount for part in found.parts], DIGITS)
    told = [
        f"{shown_name(part.name)} {signed(amount, DIGITS)}{_values(part)}"
        for part, amount in zip(found.parts, amounts, strict=True)
        if round(amount, DIGITS)
    ]
    if not round(sum(amounts), DIGITS):
        return f"{higher} and {lower} are equal to {DIGITS} digits."
    return f"{higher} is {number(sum(amounts), DIGITS)} above {lower}: {listed(told)}."


def _values(part: Gap) -> str:
    if part.name == REST or not part.higher or not part.lower:
        return ""
    return f" ({number(part.higher.measured, 2)} against {number(part.lower.measured, 2)})"


def reason(item: ExplainedItem, found: Difference, name: Callable[[int], str] = letter) -> str:
    """Say in one sentence why one candidate is ahead of another; `name` names them by their places."""
    higher, lower = name(found.higher), name(found.lower)
    if not round(found.amount, DIGITS):
        return f"{higher} and {lower} are equal to {DIGITS} digits."
    first, second = item.candidates[found.higher], item.candidates[found.lower]
    praise: list[str] = []
    blame: list[str] = []
    for part in found.parts:
        if part.amount < WEIGHTY * found.amount:
            continue
        if part.name in (MEANING, WORDS):
            if not any(text.startswith(("says", "is nearer")) for text in praise):
                praise.append(_says(first, second))
        elif part.lower and part.lower.amount < 0 and _amount(part.higher) > part.lower.amount / 2:
            blame.append(_phrase(part.name, second, ahead=False))
        else:
            praise.append(_phrase(part.name, first, ahead=True))
    but = next((part for part in found.parts if part.amount < -WEIGHTY * found.amount), None)
    though = f", though {lower} {_but(but, second)}" if but else ""
    if not blame and praise and praise[0].startswith(("says", "is nearer")):
        blame.append(_says_less(first, second))
    clauses = [f"{who} {listed(told)}" for who, told in ((higher, praise), (lower, blame)) if told]
    return f"{'; '.join(clauses)}{though}."


def _but(part: Gap, candidate: ExplainedCandidate) -> str:
    """What speaks for the lower one of two."""
    if part.name == MEANING:
        return "is nearer to the reference as a whole"
    return (
        "has more of the reference's words"
        if part.name == WORDS
        else _phrase(part.name, candidate, ahead=True)
    )


def _phrase(name: str, candidate: ExplainedCandidate, *, ahead: bool) -> str:
    if name not in PHRASES:
        return f"{'gains' if ahead else 'loses'} by {shown_name(name)}"
    if ahead:
        return PHRASES[name][0]
    marked = quoted(mark.text for mark in candidate.marks if mark.kind == MARKED.get(name))
    return f"{PHRASES[name][1]}{marked}"


def _says(candidate: ExplainedCandidate, other: ExplainedCandidate | None = None) -> str:
    """Say what a candidate has of the reference, and the other one has not."""
    theirs = {(one.reference, one.partner_start) for one in matched(other)} if other else set()
    own = [one for one in matched(candidate) if (one.reference, one.partner_start) not in theirs]
    if not own:
        return "is nearer to the reference in meaning"
    own.sort(key=lambda mark: -mark.counts)
    told = dict.fromkeys(
        isolated(one.text)
        if one.text.lower() == one.partner.lower()
        else f"{isolated(one.text)} for {isolated(one.partner)}"
        for one in own
    )
    return f"says what the reference says ({', '.join(list(told)[:3])})"


def _says_less(first: ExplainedCandidate, second: ExplainedCandidate) -> str:
    ours, theirs = len(matched(first)), len(matched(second))
    if not theirs:
        return "has none of its words"
    return "says less of it" if theirs < ours else "says it less closely"


def matched(candidate: ExplainedCandidate) -> list[Mark]:
    """The words that are in the reference too, or something like them."""
    return [mark for mark in candidate.marks if mark.kind == "matched"]


def quoted(texts: Iterable[str], most: int = 3) -> str:
    """Return `` (“a”, “b”, …)``, or nothing for nothing."""
    every = list(dict.fromkeys(texts))
    more = ", …" if len(every) > most else ""
    return (
        f" ({', '.join(f'“{isolated(shortened(text, 40))}”' for text in every[:most])}{more})"
        if every
        else ""
    )


def alone(candidate: ExplainedCandidate) -> str:
    """Say of a single candidate what it has of the reference, and what it loses by."""
    if not candidate.text.strip():
        return "It is empty."
    told = [_says(candidate) if matched(candidate) else "has none of the reference's words"]
    lost = [one.name for one in candidate.adjustments if one.name != WORDS and one.amount <= -CLOSE]
    told += [_phrase(name, candidate, ahead=False) for name in lost]
    return f"It {listed(told)}."


@dataclass(frozen=True, slots=True)
class Trust:
    """How far a ranking can be trusted."""

    level: str
    """``clear``, ``mixed`` or ``close``."""
    label: str
    sentence: str


def trust(item: ExplainedItem) -> Trust | None:
    """Say whether the parts of the score, the variants and other metrics agree on the first two."""
    if len(item.candidates) < 2:
        return None
    first, *_ = neighbours(item)
    ahead, behind = letter(first.higher), letter(first.lower)
    higher, lower = item.candidates[first.higher], item.candidates[first.lower]
    against = [shown_name(part.name) for part in first.parts if round(part.amount, DIGITS) < 0]
    told = [
        f"{listed(against)} {'speaks' if len(against) == 1 else 'speak'} for {behind}"
        if against
        else f"every part of the score puts {ahead} above {behind}"
    ]
    pairs = [(one.cosine, two.cosine) for one, two in zip(higher.terms, lower.terms, strict=False)]
    if pairs and {one.reference for one in higher.terms} == {one.reference for one in lower.terms}:
        won = sum(one > two for one, two in pairs)
        told.append(f"{ahead} is nearer in {won} of {counted(len(pairs), 'comparison')} of whole texts")
    for name, value in higher.others.items():
        other = lower.others.get(name)
        if value is not None and other is not None:
            agrees = (value > other) == METRICS[name].higher_is_better
            verdict = "sees no difference" if value == other else "agrees" if agrees else f"prefers {behind}"
            told.append(f"{name} {verdict} ({number(value, 2)}, {number(other, 2)})")
    level = "close" if first.amount < CLOSE else "mixed" if against else "clear"
    label = {"close": "Too close to call", "mixed": "Mixed evidence", "clear": "Clear"}[level]
    return Trust(level, label, f"{told[0][0].upper()}{'; '.join(told)[1:]}.")
