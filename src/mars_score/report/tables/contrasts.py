"""Tests between pairs of metrics: is one of them nearer to people?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.labels import LEVELS, MAIN, STATISTICS, TESTS, plain
from mars_score.report.names import slugs
from mars_score.report.standing import TEST
from mars_score.report.table import Column, Entry, Table
from mars_score.study.results import HUMAN

if TYPE_CHECKING:
    from mars_score.study.results import Contrast, DatasetResult

COLUMNS = (
    Column("better"),
    Column("worse"),
    Column("target"),
    Column("level"),
    Column("statistic"),
    Column("test"),
    Column("difference", "number", 3, explanation="of the statistic"),
    Column("p", "p", explanation="one-sided"),
    Column("p corrected", "p", explanation="after Holm, over all pairs of metrics"),
)
CAPTION = (
    "The p-value is the chance of so large a difference, or a larger one, between metrics that are equally near "
    "to people. The corrected one allows for the number of pairs."
)


def contrasts(dataset: DatasetResult, slug: str, only: str | None = None) -> Table:
    """Build the table of all tests of a data set, or of the main ones that one metric is part of."""
    rows = tuple(
        (
            Entry(contrast.better),
            Entry(contrast.worse),
            Entry(contrast.target),
            Entry(plain(contrast.level, LEVELS)),
            Entry(plain(contrast.statistic, STATISTICS)),
            Entry(plain(contrast.test, TESTS)),
            Entry(value=contrast.difference, reason="a correlation is undefined"),
            Entry(value=contrast.p, reason="the test does not apply"),
            Entry(value=contrast.p_corrected, reason="the test does not apply"),
        )
        for contrast in dataset.contrasts
        if only is None or _is_main(contrast, only)
    )
    title = (
        f"{dataset.name}: tests between metrics" if only is None else f"{dataset.name}: {only} against others"
    )
    # No slug has two underscores in a row, so that no data set's name can make two tables one.
    name = "__".join([f"contrasts_{slug}", *slugs([only] if only else [])])
    return Table(name, title, CAPTION, COLUMNS, rows)


def _is_main(contrast: Contrast, metric: str) -> bool:
    return metric in (contrast.better, contrast.worse) and (contrast.target, contrast.test) == (HUMAN, TEST)


def subject(dataset: DatasetResult) -> str | None:
    """Return the metric whose tests the page shows: MARS, or else the one that wins most of them."""
    wins: dict[str, int] = {}
    for contrast in dataset.contrasts:
        if MAIN in (contrast.better, contrast.worse):
            return MAIN
        wins[contrast.better] = wins.get(contrast.better, 0) + 1
    return min(wins, key=lambda name: (-wins[name], name)) if wins else None
