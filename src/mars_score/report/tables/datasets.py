"""Table 2: the data sets and how people rated them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.labels import ALPHA_REASONS, plain
from mars_score.report.table import Column, Entry, Line, Table

if TYPE_CHECKING:
    from mars_score.study.results import DatasetResult, Study

COLUMNS = (
    Column("data set"),
    Column("context", "number", 1, "mean words", "mean length of the contexts"),
    Column("reference", "number", 1, "mean words", "mean length of the references"),
    Column("\N{GREEK CAPITAL LETTER OMEGA}", "number", 1, explanation="length of context over length of reference"),
    Column("rows", "number", 0, "counts", "rated texts"),
    Column("items", "number", 0, "counts", "things that the systems wrote about"),
    Column("systems", "number", 0, "counts"),
    Column("ratings", "number", 0, "counts"),
    Column("raters of a row", group="counts", explanation="fewest to most"),
    Column("left out", "number", 0, "counts", "rows that rate a reference itself"),
    Column("interval", "number", 3, "Krippendorff's \N{GREEK SMALL LETTER ALPHA}", "differences count by their square"),
    Column("ordinal", "number", 3, "Krippendorff's \N{GREEK SMALL LETTER ALPHA}", "only the order counts"),
    Column("mean", "number", 2, "rating"),
    Column("deviation", "number", 2, "rating", "standard deviation of the rows' mean ratings"),
)  # fmt: skip


def datasets_table(study: Study) -> Table:
    """Build Table 2."""
    return Table(
        "table2_datasets",
        "Texts, ratings and agreement",
        "A low \N{GREEK CAPITAL LETTER OMEGA} suggests an open-ended task. Krippendorff's "
        "\N{GREEK SMALL LETTER ALPHA} is the raters' agreement: 1 is perfect, 0 is chance.",
        COLUMNS,
        tuple(_row(dataset) for dataset in study.datasets),
    )


def _row(dataset: DatasetResult) -> Line:
    info = dataset.info
    fewest, most = info.raters
    no_alpha = plain(info.alpha_reason, ALPHA_REASONS) if info.alpha_reason else "no reason is recorded"
    return (
        Entry(dataset.name, note=f"content {info.content_hash}; systems: {', '.join(info.systems)}"),
        Entry(value=info.context_length),
        Entry(value=info.reference_length),
        Entry(value=info.omega),
        Entry(value=info.rows),
        Entry(value=info.items),
        Entry(value=len(info.systems)),
        Entry(value=info.ratings),
        Entry(str(fewest) if fewest == most else f"{fewest} to {most}"),
        Entry(value=info.references_left_out),
        Entry(value=info.alpha_interval, reason=no_alpha),
        Entry(value=info.alpha_ordinal, reason=no_alpha),
        Entry(value=info.mean),
        Entry(value=info.deviation),
    )
