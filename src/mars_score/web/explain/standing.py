"""Where a score stands: above texts about something else, below what one person's text gets from another's."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from mars_score.progress import StageProgress, silent_stages
from mars_score.study.attacks.base import passage
from mars_score.types import Example
from mars_score.web.explain.data import share_below
from mars_score.web.explain.explanation import with_corpus

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


def placing(standing: Standing, score: float) -> Placing:
    """Return where one of the file's scores stands."""
    floor, ceiling = band(standing.floor), band(standing.ceiling)
    others = list(standing.scores)
    if score in others:
        others.remove(score)
    way = None
    if floor and ceiling and ceiling.middle > floor.middle:
        way = (score - floor.middle) / (ceiling.middle - floor.middle)
    return Placing(
        above_scores=share_below(score, others) if others else None,
        above_floor=share_below(score, standing.floor) if standing.floor else None,
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
