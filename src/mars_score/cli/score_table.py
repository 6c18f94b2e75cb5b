"""Scores for people: a table of rows on the terminal, and the means at the end of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mars_score.metrics.registry import METRICS
from mars_score.metrics.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mars_score.files import ResultRow

BAR = "mars"
"""The metric that has a bar when it is alone."""


def print_rows(rows: Sequence[ResultRow], signatures: Mapping[str, str]) -> None:
    """Print rows and means on standard output."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

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
    for row in rows:
        table.add_row(Text(row.id), *_cells(row.scores, bars=bars), ", ".join(row.flags))
    table.add_section()
    table.add_row("mean", *_cells(summary.means, bars=bars), "", style="bold")
    console = Console()
    console.print(table)
    for name, signature in signatures.items():
        label = "signature" if bars else f"signature of {name}"
        console.print(f"{label}: {signature}", soft_wrap=True, highlight=False, markup=False, style="dim")


def print_summary(summary: Summary, total: int, signatures: Mapping[str, str], sidecar: Path | None) -> None:
    """Print means and signatures on standard error."""
    undefined = {name: total - count for name, count in summary.defined.items()}
    for name, mean in summary.means.items():
        shown = "undefined" if mean is None else f"{mean:.4f}"
        note = f" ({undefined[name]} rows undefined)" if undefined[name] and mean is not None else ""
        click.echo(f"{total} rows, mean {name} {shown}{note}", err=True)
    if sidecar:
        click.echo(f"signatures are in {sidecar}", err=True)
    for name, signature in signatures.items():
        click.echo(f"signature of {name}: {signature}", err=True)


def _cells(scores: Mapping[str, float | None], *, bars: bool) -> list[str]:
    cells = []
    for score in scores.values():
        cells.append("-" if score is None else f"{score:.4f}")
        if bars:
            cells.append("" if score is None else _bar(score))
    return cells


def _bar(value: float, width: int = 20) -> str:
    full = round(max(0.0, min(1.0, value)) * width)
    return "█" * full + "·" * (width - full)
