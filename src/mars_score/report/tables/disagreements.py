"""Table 6: the texts on which a metric and people differ most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.labels import KINDS, plain
from mars_score.report.table import Column, Entry, Table

if TYPE_CHECKING:
    from mars_score.study.results import DatasetResult

COLUMNS = (
    Column("metric"),
    Column("id"),
    Column("system"),
    Column("kind"),
    Column("score", "number", 3),
    Column("human", "number", 3),
    Column("score", "percent", 0, "rank", "share of rows that the metric scores lower"),
    Column("human", "percent", 0, "rank", "share of rows that people rate lower"),
    Column("context"),
    Column("references"),
    Column("candidate"),
)


def disagreements(dataset: DatasetResult, slug: str) -> Table:
    """Build Table 6 for one data set, for files; the page shows the same texts as cards."""
    rows = tuple(
        (
            Entry(found.metric),
            Entry(found.id),
            Entry(found.system),
            Entry(", ".join(plain(kind, KINDS) for kind in found.kinds)),
            Entry(value=found.score),
            Entry(value=found.human),
            Entry(value=found.score_rank),
            Entry(value=found.human_rank),
            Entry(found.context),
            Entry(" / ".join(found.references)),
            Entry(found.candidate),
        )
        for found in dataset.disagreements
    )
    caption = "Ranks are shares of rows below: 0% is the lowest of the data set, 100% the highest."
    return Table(
        f"table6_disagreements_{slug}", f"{dataset.name}: largest disagreements", caption, COLUMNS, rows
    )
