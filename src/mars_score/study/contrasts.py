"""Which metric is nearer to people, and which differences are more than chance.

Every two metrics are compared by PERM-BOTH in two ways: by the pooled Pearson correlation, which is the paper's
number, and by Kendall's tau by item, which neither the identity of a system nor the difficulty of an item can
inflate. For the pooled Pearson correlation Williams' test is given as a second opinion; it takes rows for
independent. p-values are one-sided and corrected by Holm over all pairs of metrics.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mars_score.evaluation.clusters import clusters
from mars_score.evaluation.multiple import holm
from mars_score.evaluation.permutation import Stopping, perm_both
from mars_score.evaluation.williams import compare_by_williams
from mars_score.study.results import HUMAN, Contrast, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mars_score.evaluation.correlation import Kind
    from mars_score.evaluation.grouping import Level
    from mars_score.evaluation.scored import Scored

QUESTIONS: tuple[tuple[Level, Kind], ...] = (("pooled", "pearson"), ("item", "kendall"))
"""What metrics are ranked by."""
PERM_BOTH, WILLIAMS = "perm-both", "williams"
MORE = 10
"""A permutation test makes so many times the draws of an interval. Its smallest p-value is one over the draws,
and Holm multiplies it by the pairs of metrics: a thousand draws could never tell 25 metrics apart."""
_CLEAR = Stopping(below=-1.0, above=0.1)
"""Stop where a difference cannot become significant any more."""


@dataclass(frozen=True, slots=True)
class Question:
    """Is the first metric nearer to people than the second?"""

    better: str
    worse: str
    level: Level
    kind: Kind


@dataclass(frozen=True, slots=True)
class Answer:
    """By how much, and how likely by chance."""

    difference: float | None
    p: float | None


def questions(values: Mapping[str, float | None], level: Level, kind: Kind) -> list[Question]:
    """Pair all metrics that have a value, the better one first; equal ones in the order of their names."""
    ranked = sorted((-value, name) for name, value in values.items() if value is not None)
    return [Question(better, worse, level, kind) for (_, better), (_, worse) in combinations(ranked, 2)]


def permute(asked: Sequence[Question], rows: Mapping[str, Scored], *, draws: int, seed: int,
            answered: Callable[[Question, Answer], None]) -> None:  # fmt: skip
    """Answer questions by PERM-BOTH, several at a time; `answered` is called in their order."""

    def one(question: Question) -> Answer:
        found = perm_both(
            rows[question.better], rows[question.worse], question.level, question.kind,
            draws=draws * MORE, seed=seed, stopping=_CLEAR,
        )  # fmt: skip
        return Answer(found.difference, found.p_greater)

    # numpy lets go of the interpreter while it computes, so threads do run side by side.
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            for question, answer in zip(asked, pool.map(one, asked), strict=True):
                answered(question, answer)
        finally:
            pool.shutdown(cancel_futures=True)


def williams(question: Question, rows: Mapping[str, Scored]) -> Answer:
    """Answer a question about pooled Pearson correlations by Williams' test."""
    better, worse = rows[question.better], rows[question.worse]
    # Sums depend on their order in the last digits: so rows come in an order that their content decides.
    order = np.lexsort((worse.metric, better.metric, better.human))
    found = compare_by_williams(better.metric[order], worse.metric[order], better.human[order])
    return Answer(None, found.p_greater)


def contrasts(
    test: str, asked: Sequence[Question], answers: Sequence[Answer], values: Mapping[str, float | None]
) -> list[Contrast]:
    """Correct the p-values of one test, and say what was found."""
    made = []
    for question, answer, corrected in zip(asked, answers, holm([one.p for one in answers]), strict=True):
        better, worse = values[question.better], values[question.worse]
        apart = better - worse if better is not None and worse is not None else None
        made.append(
            Contrast(
                HUMAN,
                question.level,
                question.kind,
                test,
                question.better,
                question.worse,
                apart if answer.difference is None else answer.difference,
                answer.p,
                corrected,
            )
        )
    return made


def places(
    values: Mapping[str, float | None], found: Sequence[Contrast], level: Level, kind: Kind
) -> list[Place]:
    """Rank metrics in clusters: one that is significantly worse than any of the open cluster opens the next."""
    p = {(one.better, one.worse): one.p_corrected for one in found}
    return [
        Place(HUMAN, level, kind, one.name, one.value, one.cluster, one.rank)
        for one in clusters(values, lambda better, worse: p.get((better, worse)))
    ]
