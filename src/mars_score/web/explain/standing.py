"""Where a score stands: above texts about something else, below what one person's text gets from another's."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from mars_score.progress import StageProgress, silent_stages
from mars_score.study.attacks.base import passage
from mars_score.types import Example
from mars_score.web.explain.data import share_below
from mars_score.web.explain.explanation import with_corpus
from mars_score.web.explain.wording import counted, letter, listed, number, percent, share_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import ItemScore, Pair


Item = tuple["Pair", ...]


def unrelated(examples: Sequence[Example], others: Sequence[Example], bound: int, seed: int) -> list[Example]:
    """Return the items of examples with candidates that were written for other items; at most `bound` of them.

    Every item gets the candidate of another passage before any gets a second one, and no two get the same in
    one turn: a derangement. `others` are further rows that candidates may come from.
    """
    random = Random(seed)
    sample = {example.pairs: example for example in examples}
    written: dict[Item, list[str]] = {example.pairs: [] for example in (*examples, *others)}
    about = {example.pairs: _subject(example) for example in (*examples, *others)}
    for example in (*examples, *others):
        if example.candidate.strip() and example.candidate not in written[example.pairs]:
            written[example.pairs].append(example.candidate)
    order = list(written)
    random.shuffle(order)
    # Items of one passage stand together, so a step as long as the largest such group leads to another passage.
    subjects = {subject: place for place, subject in enumerate(dict.fromkeys(about[item] for item in order))}
    order.sort(key=lambda item: subjects[about[item]])
    step = max(Counter(about.values()).values(), default=0)
    places = [place for place, item in enumerate(order) if item in sample]
    random.shuffle(places)
    found: list[Example] = []
    for turn in range(len(order)):
        for place in places:
            item, other = order[place], order[(place + step + turn) % len(order)]
            if about[other] == about[item] or not written[other]:
                continue
            if len(found) == bound:
                return found
            own, candidate = sample[item], written[other][turn % len(written[other])]
            name = f"unrelated {len(found) + 1}"
            found.append(Example(name, candidate, own.references, own.context, own.question))
    return found


def _subject(example: Example) -> tuple[str, ...]:
    """What an example is about: its passage, and where there is none its references."""
    text = passage(example)
    return (text,) if text else example.references


BOUND = 200
"""How many comparisons are made for the floor, and as many for the ceiling."""


ENOUGH = 10
"""Fewer comparisons than this are no floor and no ceiling."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The scores that a score is held against, each sorted."""

    scores: tuple[float, ...]
    """Of the file's candidates."""
    floor: tuple[float, ...]
    """Of candidates that were written for something else."""
    ceiling: tuple[float, ...]
    """Of references held against the item's other references: people against people."""
    itself: tuple[float, ...] = ()
    """Of references held against themselves, where no item has two: not a human ceiling."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that can be written as JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Band:
    """The range of many scores."""

    low: float
    """Below it lie 5%."""
    middle: float
    high: float
    """Above it lie 5%."""


@dataclass(frozen=True, slots=True)
class Placing:
    """Where one score stands."""

    above_scores: float | None
    """The share of the file's other candidates that have a lower score; None where there are none."""
    above_floor: float | None
    """The share of unrelated texts with a lower score."""
    way: float | None
    """How far it is from the middle of the floor (0) to the middle of the ceiling (1)."""


def find_standing(
    scorer: MarsScorer,
    examples: Sequence[Example],
    items: Sequence[ItemScore],
    *,
    others: Sequence[Example] = (),
    bound: int = BOUND,
    seed: int = 0,
    progress: StageProgress = silent_stages,
) -> Standing:
    """Score unrelated texts and people's own; the references are the examples', so nothing is augmented anew.

    `others` are further rows of the same data set, from which unrelated candidates may come.
    """
    scorer = with_corpus(scorer, examples)

    def scores(asked: Sequence[Example]) -> tuple[float, ...]:
        found = scorer.score_examples(asked, progress=progress) if asked else ()
        return tuple(sorted(item.score for item in found))

    distinct = list({example.pairs: example for example in examples}.values())
    people = _spread([list(_people(example)) for example in distinct], bound)
    itself = [] if people else [_itself(example) for example in distinct[:bound]]
    return Standing(
        scores=tuple(sorted(item.score for item in items)),
        floor=scores(unrelated(examples, others, bound, seed)),
        ceiling=scores(people),
        itself=scores(itself),
    )


def band(values: Sequence[float]) -> Band | None:
    """Return the range of sorted scores; None for no scores."""
    return Band(*(_quantile(values, share) for share in (0.05, 0.5, 0.95))) if values else None


def bounds(standing: Standing) -> tuple[Band | None, Band | None]:
    """Return floor and ceiling, each only where enough comparisons stand behind it."""
    floor, ceiling = (
        band(values) if len(values) >= ENOUGH else None for values in (standing.floor, standing.ceiling)
    )
    return floor, ceiling


def placing(standing: Standing, score: float) -> Placing:
    """Return where one of the file's scores stands."""
    floor, ceiling = bounds(standing)
    others = list(standing.scores)
    if score in others:
        others.remove(score)
    way = None
    if floor and ceiling and ceiling.middle > floor.middle:
        way = (score - floor.middle) / (ceiling.middle - floor.middle)
    return Placing(
        above_scores=share_below(score, others) if others else None,
        above_floor=share_below(score, standing.floor) if floor else None,
        way=way,
    )


def _people(example: Example) -> Iterator[Example]:
    """Each reference as a candidate, held against the others; a text given twice is one."""
    texts = list({" ".join(text.split()): text for text in example.references}.values())
    for place, text in enumerate(texts):
        others = tuple(texts[:place] + texts[place + 1 :])
        if others:
            name = f"{example.id} reference {place + 1}"
            yield Example(name, text, others, example.context, example.question)


def _spread(groups: Sequence[Sequence[Example]], bound: int) -> list[Example]:
    """Take the first of every group, then the second, and so on."""
    most = max(map(len, groups), default=0)
    taken = [group[place] for place in range(most) for group in groups if place < len(group)]
    return taken[:bound]


def _itself(example: Example) -> Example:
    return Example(example.id, example.references[0], example.references, example.context, example.question)


def _quantile(ordered: Sequence[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def standing_sentences(standing: Standing, score: float) -> list[str]:
    """Say where a score stands in its file, above the floor and below the ceiling."""
    place, (floor, ceiling) = placing(standing, score), bounds(standing)
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


# The strip: all scores of a page on one axis, with floor, ceiling, and the candidates of one item.

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
    ranges = tuple(
        _range(kind, label, values, axis) for kind, label, values in named if len(values) >= ENOUGH
    )
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
