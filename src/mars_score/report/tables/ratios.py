"""Table 5: how far references should be masked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.table import Column, Entry, Line, Table, mark_best
from mars_score.report.wording import percent

if TYPE_CHECKING:
    from mars_score.study.results import DatasetResult, RatioPoint, Study

CONSTANT = "scores or ratings are all equal"
CAPTION = (
    "MARS uses the ratios from 0% to \N{GREEK SMALL LETTER LAMDA} max in steps of 20%; 0% is the reference alone. The "
    "best correlation of a data set is marked. It was chosen on these very ratings, so expect a little less on others."
)
COLUMNS = (
    Column("\N{GREEK SMALL LETTER LAMDA} max", "percent", 0, explanation="the largest share masked of a reference"),
    Column("q", "number", 2, explanation="how the weights fall with the ratio"),
    Column("Pearson's r", "number", 3, explanation="all rows"),
    Column("Kendall's \N{GREEK SMALL LETTER TAU}-b within items", "number", 3),
    Column("mean \N{GREEK SMALL LETTER SIGMA}", "number", 3, explanation="deviation of a row's cosines"),
)  # fmt: skip


def ratio_grid(study: Study) -> Table:
    """Build Table 5 as the paper prints it: Pearson's r with the ratios across, for each data set and q."""
    lambdas = sorted({point.lambda_max for dataset in study.datasets for point in dataset.ratios})
    rows: list[Line] = []
    for dataset in study.datasets:
        found = {(point.q, point.lambda_max): _correlation(point) for point in dataset.ratios}
        for q in sorted({point.q for point in dataset.ratios}):
            numbers = (found.get((q, ratio), Entry()) for ratio in lambdas)
            rows.append((Entry(dataset.name), Entry(value=q), *numbers))
    columns = (
        Column("data set"),
        COLUMNS[1],
        *(
            Column(percent(ratio), "number", 3, "Pearson's r for \N{GREEK SMALL LETTER LAMDA} max of")
            for ratio in lambdas
        ),
    )
    return Table("table5_ratios", "Pearson's r by masking ratio", CAPTION, columns, tuple(rows))


def ratios(dataset: DatasetResult, slug: str) -> Table:
    """Build Table 5 for one data set."""
    rows = mark_best((_row(point) for point in dataset.ratios), 3)
    return Table(f"table5_ratios_{slug}", f"{dataset.name}: masking ratios", CAPTION, COLUMNS, tuple(rows))


def _row(point: RatioPoint) -> Line:
    return (
        Entry(value=point.lambda_max),
        Entry(value=point.q),
        _correlation(point),
        Entry(value=point.kendall_item, reason=CONSTANT),
        Entry(value=point.mean_deviation),
    )


def _correlation(point: RatioPoint) -> Entry:
    best = point.best and point.pearson is not None
    return Entry(value=point.pearson, low=point.low, high=point.high, best=best, reason=CONSTANT)
