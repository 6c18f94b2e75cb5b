"""The metrics of the study: what they are, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.table import Column, Entry, Line, Table, without_empty_columns

if TYPE_CHECKING:
    from mars_score.study.results import Study


def signatures(study: Study) -> Table:
    """Build the table that says how each number came about."""
    rows = tuple(
        (
            Entry(metric.name),
            Entry(metric.summary),
            Entry("higher" if metric.higher_is_better else "lower"),
            Entry(metric.signature),
        )
        for metric in study.metrics
    )
    columns = (Column("metric"), Column("what it measures"), Column("better is"), Column("signature"))
    caption = "Equal signature and equal text mean equal score. Quote the signature with the number."
    return Table("metrics", "Metrics and their signatures", caption, columns, rows)


def costs(study: Study) -> Table:
    """Build the table of speeds."""
    columns, parts = [Column("metric")], []
    for dataset in study.datasets:
        columns += [
            Column("rows a second", "measure", group=dataset.name),
            Column(
                "\N{MULTIPLICATION SIGN} rougeL",
                "measure",
                3,
                dataset.name,
                "time a row over that of ROUGE-L",
            ),
            Column("seconds", "measure", group=dataset.name),
        ]
        parts.append({cost.metric: cost for cost in dataset.costs})
    rows: list[Line] = []
    for metric in study.metrics:
        line = [Entry(metric.name)]
        for part in parts:
            cost = part.get(metric.name)
            if cost is None:
                line += [Entry(), Entry(), Entry()]
            else:
                line += [
                    Entry(value=cost.rows_per_second, note=f"{cost.rows:,} rows"),
                    Entry(value=cost.ratio_to_rouge, reason="ROUGE-L was not measured"),
                    Entry(value=cost.seconds),
                ]
        rows.append(tuple(line))
    rows = [row for row in rows if any(entry.value is not None for entry in row[1:])]
    caption = (
        "Time to score the different texts of a data set, models loaded. Metrics share work: what one finds done by "
        "another (augmented references, encodings) costs it nothing, so ablations look cheaper than they are alone."
    )
    return without_empty_columns(Table("costs", "Rows a second", caption, tuple(columns), tuple(rows)))
