"""``mars-score score``: rows in, scores out, each row saved as soon as it is known."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from mars_score.cli.options import input_options, scorer_options, take_input, take_scorer
from mars_score.cli.progress import bars
from mars_score.cli.score_table import print_rows, print_summary
from mars_score.errors import OutputError
from mars_score.files import ResultRow, check_writable, open_writer, write_signatures
from mars_score.metrics.registry import make_metric, metric_names
from mars_score.metrics.scoring import score_all
from mars_score.metrics.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mars_score.cli.options import Input
    from mars_score.metrics.base import Metric

CHUNK = 256
"""Rows that are scored together and then saved."""


@click.command()
@input_options
@click.option(
    "--metric", "names", default="mars", show_default=True, metavar="NAME[,NAME...]",
    help="Which metrics; all means all. mars-score metrics lists them.",
)  # fmt: skip
@scorer_options
@click.option(
    "-o", "--output", metavar="FILE", help="jsonl, csv, tsv or parquet by its suffix; - is standard output."
)
@click.option("--format", "form", metavar="FORMAT", help="table, jsonl, csv, tsv or parquet.")
@click.option("--strict", is_flag=True, help="Make every flag of a row an error.")
def score(names: str, output: str | None, form: str | None, strict: bool, **values: Any) -> None:
    """Score the candidates of FILE.

    On a terminal the scores are a table; with -o or in a pipe, rows for programs: an id, the scores and
    the flags, in the order of the input. Signatures go to a file beside the output, and to the terminal.
    """
    wanted = metric_names(names)
    source, scorer = take_input(values), take_scorer(values)
    table = form == "table" or (form is None and output is None and sys.stdout.isatty())
    if not table:
        check_writable(output, form, inputs=source.paths)
    elif output not in (None, "-"):
        raise OutputError(
            f"{output}: a table goes to the terminal only\n  remedy: leave out --format table, or -o"
        )
    source, total = source.check()
    # This finds every model: a wrong name is known before anything is computed.
    metrics = [make_metric(name, scorer) for name in wanted]
    signatures = {metric.name: metric.signature for metric in metrics}
    # IDF from the corpus needs the whole corpus at once.
    size = total if scorer.config.masking.idf == "corpus" else CHUNK
    rows = _rows(source, metrics, total, size, strict=strict)
    if table:
        print_rows(list(rows), signatures)
        return
    summary = Summary(wanted)
    # Now too, so that the rows of a run that stops half-way have it.
    write_signatures(output, signatures, {"input": source.name})
    with open_writer(output, form) as writer:
        for row in rows:
            writer.write(row)
            summary.add(row.scores)
    extra = {"input": source.name, "rows": total, "means": summary.means}
    sidecar = write_signatures(output, signatures, extra)
    print_summary(summary, total, signatures, sidecar)


def _rows(
    source: Input, metrics: Sequence[Metric], total: int, size: int, *, strict: bool
) -> Iterator[ResultRow]:
    """Score chunk by chunk, with progress."""
    examples = source.read()
    with bars(total) as show:
        while chunk := list(islice(examples, size)):
            for row in score_all(metrics, chunk, show.stage, strict=strict):
                yield ResultRow(row.id, row.scores, row.flags)
            show.rows(len(chunk))
