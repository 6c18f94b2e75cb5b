"""``mars-score score``: rows in, scores out, each row saved as soon as it is known."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from mars_score.cli.options import input_options, scorer_options, take_input, take_scorer
from mars_score.cli.progress import bars
from mars_score.errors import OutputError
from mars_score.files import ResultRow, check_writable, open_writer, write_signature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mars_score.cli.options import Input
    from mars_score.scorer import MarsScorer
    from mars_score.types import ItemScore

CHUNK = 256
"""Rows that are scored together and then saved."""


@click.command()
@input_options
@scorer_options
@click.option(
    "-o", "--output", metavar="FILE", help="jsonl, csv, tsv or parquet by its suffix; - is standard output."
)
@click.option("--format", "form", metavar="FORMAT", help="table, jsonl, csv, tsv or parquet.")
@click.option("--strict", is_flag=True, help="Make every flag of a row an error.")
def score(output: str | None, form: str | None, strict: bool, **values: Any) -> None:
    """Score the candidates of FILE.

    On a terminal the scores are a table; with -o or in a pipe, rows for programs: an id, the scores and
    the flags, in the order of the input. The signature goes to a file beside the output, and to the terminal.
    """
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
    signature = scorer.signature
    if table:
        _table(list(_items(source, scorer, total, strict=strict)), scorer)
        return
    mean = _Mean()
    # Now too, so that the rows of a run that stops half-way have it.
    write_signature(output, signature, {"input": source.name})
    with open_writer(output, form) as writer:
        for item in _items(source, scorer, total, strict=strict):
            writer.write(ResultRow(item.id, {"mars": item.score}, item.flags))
            mean.add(item.score)
    sidecar = write_signature(output, signature, {"input": source.name, "rows": total, "mean": mean.value})
    click.echo(f"{total} rows, mean {mean.value:.4f}", err=True)
    click.echo(f"signature{f' (also in {sidecar})' if sidecar else ''}: {signature}", err=True)


class _Mean:
    """A running mean."""

    def __init__(self) -> None:
        self.total, self.count = 0.0, 0

    def add(self, value: float) -> None:
        self.total, self.count = self.total + value, self.count + 1

    @property
    def value(self) -> float:
        return self.total / self.count if self.count else float("nan")


def _items(source: Input, scorer: MarsScorer, total: int, *, strict: bool) -> Iterator[ItemScore]:
    """Score chunk by chunk, with progress."""
    rows = source.read()
    # IDF from the corpus needs the whole corpus at once.
    size = total if scorer.config.masking.idf == "corpus" else CHUNK
    with bars(total) as show:
        while chunk := list(islice(rows, size)):
            yield from scorer.score_examples(chunk, progress=show.stage, strict=strict)
            show.rows(len(chunk))


def _table(items: list[ItemScore], scorer: MarsScorer) -> None:
    """Print scores for people."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("id", overflow="fold")
    table.add_column("mars", justify="right")
    table.add_column("")
    table.add_column("flags", style="yellow")
    for item in items:
        table.add_row(Text(item.id), f"{item.score:.4f}", _bar(item.score), ", ".join(item.flags))
    mean = sum(item.score for item in items) / len(items)
    table.add_section()
    table.add_row("mean", f"{mean:.4f}", _bar(mean), "", style="bold")
    console = Console()
    console.print(table)
    console.print(f"signature: {scorer.signature}", soft_wrap=True, highlight=False, style="dim")


def _bar(value: float, width: int = 20) -> str:
    full = round(max(0.0, min(1.0, value)) * width)
    return "█" * full + "·" * (width - full)
