"""Table 7: what people think of augmented references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.labels import QUESTIONS, VARIANTS, plain
from mars_score.report.table import Column, Entry, Line, Table

if TYPE_CHECKING:
    from mars_score.study.results import AugmentationStudy


def augmentation_means(study: AugmentationStudy) -> Table:
    """Build Table 7: the mean rating of each variant."""
    questions = list(dict.fromkeys(rating.question for rating in study.ratings))
    variants = list(dict.fromkeys(rating.variant for rating in study.ratings))
    found = {(rating.question, rating.variant): rating for rating in study.ratings}
    columns = [Column("question")]
    for variant in variants:
        name = plain(variant, VARIANTS)
        columns += [
            Column("mean", "number", 2, name, "from 1 to 7"),
            Column("deviation", "number", 2, name),
            Column("n", "number", 0, name, "ratings"),
        ]
    columns.append(
        Column("Krippendorff's \N{GREEK SMALL LETTER ALPHA}", "number", 3, "", "agreement of the raters")
    )
    rows: list[Line] = []
    for question in questions:
        line = [Entry(plain(question, QUESTIONS))]
        means = [found[question, v].mean for v in variants if (question, v) in found]
        for variant in variants:
            rating = found.get((question, variant))
            if rating is None:
                line += [Entry(), Entry(), Entry()]
                continue
            best = len(means) > 1 and rating.mean == max(means)
            line += [
                Entry(value=rating.mean, best=best),
                Entry(value=rating.deviation),
                Entry(value=rating.n),
            ]
        alpha = study.alphas.get(question)
        line.append(
            Entry(value=alpha, reason="too few ratings, or all are equal" if question in study.alphas else "")
        )
        rows.append(tuple(line))
    caption = "Ratings from 1 to 7 of references as they are and as augmented. The highest mean is marked."
    return Table(
        "table7_augmentations", "Ratings of augmented references", caption, tuple(columns), tuple(rows)
    )


def augmentation_tests(study: AugmentationStudy) -> Table:
    """Build the tests of Table 7."""
    rows = tuple(
        (
            Entry(plain(test.question, QUESTIONS)),
            Entry(plain(test.first, VARIANTS)),
            Entry(plain(test.second, VARIANTS)),
            Entry(value=test.difference),
            Entry(value=test.t, reason="all differences are equal"),
            Entry(value=test.p, reason="all differences are equal"),
            Entry(value=test.n),
        )
        for test in study.tests
    )
    columns = (
        Column("question"),
        Column("first"),
        Column("second"),
        Column("difference", "number", 3, explanation="first minus second, in points of 7"),
        Column("t", "number", 2),
        Column("p", "p", explanation="two-sided"),
        Column("pairs", "number", 0),
    )
    return Table("table7_tests", "Paired t-tests", "One row for each pair of variants.", columns, rows)
