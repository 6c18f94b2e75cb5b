"""The paper's Table 7: are augmented references as good as what people wrote?"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from mars_score.evaluation.agreement import krippendorff_alpha
from mars_score.evaluation.paired import paired_t_test
from mars_score.study.ratings_file import QUESTIONS, VARIANTS
from mars_score.study.results import AugmentationRating, AugmentationStudy, AugmentationTest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.study.ratings_file import Rating


def augmentation_study(ratings: Sequence[Rating]) -> AugmentationStudy:
    """Compare the variants, question by question.

    Means and deviations (n - 1) are of single ratings. Tests are paired by item, on the mean of an item's
    ratings: raters of one item are no independent evidence. Alpha is over rated texts.
    """
    given: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for one in sorted(ratings, key=lambda one: (one.item, one.rater)):
        given[one.question][one.variant].setdefault(one.item, []).append(one.rating)
    asked = [question for question in QUESTIONS if question in given]
    rated, tests = [], []
    for question in asked:
        variants = [variant for variant in VARIANTS if variant in given[question]]
        rated += [_rating(question, variant, given[question][variant]) for variant in variants]
        tests += [
            _test(question, one, other, given[question][one], given[question][other])
            for one, other in combinations(variants, 2)
        ]
    alphas = {
        question: krippendorff_alpha(
            [texts for items in given[question].values() for texts in items.values()]
        ).value
        for question in asked
    }
    return AugmentationStudy(tuple(rated), tuple(tests), alphas)


def _rating(question: str, variant: str, items: dict[str, list[float]]) -> AugmentationRating:
    values = [value for found in items.values() for value in found]
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else 0.0
    return AugmentationRating(question, variant, mean, deviation, len(values))


def _test(
    question: str, first: str, second: str, one: dict[str, list[float]], other: dict[str, list[float]]
) -> AugmentationTest:
    """Compare two variants on the items that have both; the difference is the first less the second."""
    shared = [item for item in one if item in other]
    a, b = ([math.fsum(of[item]) / len(of[item]) for item in shared] for of in (one, other))
    found = paired_t_test(a, b)
    apart = [x - y for x, y in zip(a, b, strict=True)]
    return AugmentationTest(
        question=question,
        first=first,
        second=second,
        difference=math.fsum(apart) / len(apart) if apart else 0.0,
        t=found.t if found else None,
        p=found.p if found else None,
        n=len(shared),
    )
