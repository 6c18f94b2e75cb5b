"""``mars-score score``: rows in, scores out, each row saved as soon as it is known."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from mars_score import flags
from mars_score.cli.interrupts import stoppable
from mars_score.cli.options import (
    dry_run_option,
    engine_options,
    input_options,
    read_files,
    restart_option,
    scorer_options,
    signature_option,
    take_engine,
    take_input,
    take_scorer,
)
from mars_score.cli.reporting import CostReport, counted, decimals, shown_signature, tell_scoring
from mars_score.cli.running import (
    CHUNK,
    Batches,
    Checked,
    Origin,
    check,
    check_kept_rows,
    chunk_size,
    refuse_other_metrics,
    refuse_other_signatures,
    run,
)
from mars_score.errors import OutputError
from mars_score.io.fields import Kept
from mars_score.io.output import PARTIAL, check_writable, output_format, sidecar_of, write_signatures
from mars_score.io.writers import left_over, open_writer, result_rows
from mars_score.metrics.base import Summary
from mars_score.metrics.registry import METRICS, make_metric, metric_names, settings_fingerprint
from mars_score.run.work import ScorerRecipe, ScoreWork
from mars_score.signature import on_percent_scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mars_score.mars.scorer import MarsScorer
    from mars_score.metrics.base import Metric
    from mars_score.run.base import Engine
    from mars_score.types import Example, ResultRow


BAR = "mars"
"""The metric that has a bar when it is alone."""


def print_rows(rows: Sequence[ResultRow], signatures: Mapping[str, str], *, whole: bool) -> None:
    """Print rows and means on standard output."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    summary = Summary(list(signatures))
    for row in rows:
        summary.add(row.scores)
    bars = list(signatures) == [BAR]
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("id", overflow="fold")
    for name in signatures:
        table.add_column(
            name if METRICS[name].higher_is_better else f"{name} (lower is better)", justify="right"
        )
        if bars:
            table.add_column("")
    table.add_column("flags", style="yellow")
    most = None if not bars else 100.0 if on_percent_scale(signatures[BAR]) else 1.0
    digits = {
        name: 1 if on_percent_scale(signature) else decimals(row.scores[name] for row in rows)
        for name, signature in signatures.items()
    }
    for row in rows:
        table.add_row(Text(row.id), *_cells(row.scores, digits, most), ", ".join(row.flags))
    table.add_section()
    table.add_row("mean", *_cells(summary.means, digits, most), "", style="bold")
    console = Console()
    console.print(table)
    for name, signature in signatures.items():
        label = "signature" if bars else f"signature of {name}"
        shown = shown_signature(signature, whole=whole)
        console.print(f"{label}: {shown}", soft_wrap=True, highlight=False, markup=False, style="dim")


def print_summary(
    summary: Summary, total: int, signatures: Mapping[str, str], sidecar: Path | None, *, whole: bool
) -> None:
    """Print means and signatures on standard error."""
    undefined = {name: total - count for name, count in summary.defined.items()}
    for name, mean in summary.means.items():
        digits = 1 if on_percent_scale(signatures[name]) else decimals([mean])
        shown = "undefined" if mean is None else f"{mean:.{digits}f}"
        note = (
            f" ({counted(undefined[name], 'row')} undefined)" if undefined[name] and mean is not None else ""
        )
        click.echo(f"{counted(total, 'row')}, mean {name} {shown}{note}", err=True)
    if sidecar:
        click.echo(f"signatures are in {sidecar}", err=True)
    for name, signature in signatures.items():
        click.echo(f"signature of {name}: {shown_signature(signature, whole=whole)}", err=True)


def _cells(scores: Mapping[str, float | None], digits: Mapping[str, int], most: float | None) -> list[str]:
    """Show scores; with the `most` that one can be, a bar beside each."""
    cells = []
    for name, score in scores.items():
        cells.append("-" if score is None else f"{score:.{digits[name]}f}")
        if most is not None:
            cells.append("" if score is None else _bar(score / most))
    return cells


def _bar(share: float, width: int = 20) -> str:
    full = round(max(0.0, min(1.0, share)) * width)
    return "█" * full + "·" * (width - full)


@click.command()
@input_options
@click.option(
    "--metric", "names", default="mars", show_default=True, metavar="NAME[,NAME...]",
    help="Which metrics; all means all. mars-score metrics lists them.",
)  # fmt: skip
@scorer_options
@engine_options
@click.option(
    "-o", "--output", metavar="FILE", help="jsonl, csv, tsv or parquet by its suffix; - is standard output."
)
@click.option("--format", "form", metavar="FORMAT", help="table, jsonl, csv, tsv or parquet.")
@click.option(
    "--no-escape", is_flag=True,
    help="In csv and tsv, leave ids as they are. By default ' goes before one that spreadsheets take for a formula.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Make every flag of a row an error.")
@signature_option
@restart_option
@dry_run_option
def score(
    names: str,
    output: str | None,
    form: str | None,
    no_escape: bool,
    strict: bool,
    whole_signature: bool,
    restart: bool,
    dry_run: bool,
    **values: Any,
) -> None:
    """Score the candidates of FILE.

    On a terminal the scores are a table; with -o or in a pipe, rows for programs: an id, the scores and
    the flags, in the order of the input. Signatures go to a file beside the output, and to the terminal.
    Run the same command again to resume an unfinished output.
    """
    wanted = metric_names(names)
    inputs = read_files(values)
    needs_references = any("references" in METRICS[name].inputs for name in wanted)
    source, engine, scorer = (
        take_input(values, needs_references=needs_references),
        take_engine(values),
        take_scorer(values),
    )
    table = form == "table" or (form is None and output is None and sys.stdout.isatty())
    if not table:
        check_writable(output, form, inputs=inputs)
    elif output not in (None, "-"):
        raise OutputError(
            f"{output}: a table goes to the terminal only\n  remedy: leave out --format table, or -o"
        )
    scoring = Scoring(wanted, scorer, engine, check(source), strict, not no_escape, whole_signature)
    if scorer.config.masking.idf == "corpus":
        scorer.corpus = list(scoring.checked.read())  # the score depends on every row of the file
    if dry_run:
        left = None if table else scoring.left(output, form, restart=restart)
        tell_scoring(scoring.checked, scorer, wanted, 0 if left is None else left.kept.rows)
    elif table:
        scoring.show()
    else:
        scoring.save(output, form, restart=restart)


@dataclass(slots=True)
class ResumeState:
    """What an earlier run left of the same output."""

    file: Path
    kept: Kept
    signatures: dict[str, str]
    summary: Summary
    """Of the rows that are there."""
    same_settings: bool


@dataclass(frozen=True, slots=True)
class Scoring:
    """One run."""

    wanted: list[str]
    scorer: MarsScorer
    engine: Engine
    checked: Checked
    strict: bool
    escaped: bool = True
    """Whether ids in tables are safe to open in a spreadsheet."""
    whole: bool = False
    """Whether signatures are printed whole."""

    def show(self) -> None:
        """Print all rows as a table."""
        bill, metrics = CostReport(), self._metrics()
        with stoppable(None):
            rows = list(self._rows(metrics, 0, bill))
        print_rows(rows, {metric.name: metric.signature for metric in metrics}, whole=self.whole)
        bill.learn(self.scorer, self.wanted)
        bill.show()

    def save(self, output: str | None, form: str | None, *, restart: bool) -> None:
        """Write all rows that the output does not have yet, then the summary of all."""
        bill = CostReport()
        try:
            self._save(output, form, bill, restart=restart)
        finally:
            bill.learn(self.scorer, self.wanted)
        bill.show()

    def _save(self, output: str | None, form: str | None, bill: CostReport, *, restart: bool) -> None:
        with stoppable(output if sidecar_of(output) else None) as stop:
            left = self.left(output, form, restart=restart)
            kept, summary = (left.kept, left.summary) if left else (Kept(), Summary(self.wanted))
            finished = left is not None and kept.rows == self.checked.rows
            if left is not None and finished and left.same_settings:
                metrics, signatures = [], left.signatures
            else:
                metrics = self._metrics()
                signatures = {metric.name: metric.signature for metric in metrics}
                if left is not None:
                    refuse_other_signatures(left.signatures, signatures, left.file)
            if finished:
                click.echo(
                    f"all {counted(kept.rows, 'row')} are in {output}; there is nothing to compute", err=True
                )
            elif kept.rows:
                click.echo(
                    f"resuming after {kept.rows} of {counted(self.checked.rows, 'row')} in {output}", err=True
                )
            if left is None or not finished or left.file.name.endswith(PARTIAL):
                with open_writer(
                    output, form, kept=kept, metrics=self.wanted, escaped=self.escaped
                ) as writer:
                    stop.writer = writer
                    # Before the first row, so that the rows of a run that is killed have it.
                    write_signatures(output, signatures, self._facts())
                    for row in [] if finished else self._rows(metrics, kept.rows, bill):
                        writer.write(row)
                        summary.add(row.scores)
            facts = self._facts(rows=self.checked.rows, means=summary.means)
            sidecar = write_signatures(output, signatures, facts)
        print_summary(summary, self.checked.rows, signatures, sidecar, whole=self.whole)

    def left(self, output: str | None, form: str | None, *, restart: bool) -> ResumeState | None:
        """What is left to resume; an output of another run is refused."""
        file = None if restart else left_over(output, form)
        if file is None:
            return None
        origin, summary = self._origin(), Summary(self.wanted)
        signatures = origin.known(output, file)
        refuse_other_metrics(signatures, self.wanted, file)
        rows = result_rows(file, output_format(output, form), self.wanted, escaped=self.escaped)
        kept = check_kept_rows(self._counted(rows, summary), self.checked.read(), _same_id, file)
        return (
            ResumeState(file, kept, signatures, summary, origin.same_settings(output)) if kept.rows else None
        )

    def _counted(
        self, rows: Iterable[tuple[ResultRow, int]], summary: Summary
    ) -> Iterator[tuple[ResultRow, int]]:
        for row, end in rows:
            if self.strict:
                flags.refuse([row])
            summary.add(row.scores)
            yield row, end

    def _rows(self, metrics: list[Metric], after: int, bill: CostReport) -> Iterator[ResultRow]:
        work = ScoreWork(ScorerRecipe.of(self.scorer), tuple(self.wanted), self.strict, tuple(metrics))
        total = self.checked.rows
        rest = islice(self.checked.read(), after, None)
        size = chunk_size(self.engine, total - after, CHUNK)
        return run(self.engine, work, Batches(rest, size, total - after), bill)

    def _metrics(self) -> list[Metric]:
        """This finds every model: a wrong name is known before anything is computed."""
        return [make_metric(name, self.scorer) for name in self.wanted]

    def _facts(self, **more: object) -> dict[str, object]:
        return self._origin().facts(**({} if self.escaped else {"escaped": False}), **more)

    def _origin(self) -> Origin:
        return Origin(self.checked, settings_fingerprint(self.wanted, self.scorer).hex())


def _same_id(row: ResultRow, example: Example) -> bool:
    return row.id == example.id
