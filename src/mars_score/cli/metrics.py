"""``mars-score metrics``: what there is to choose from."""

from __future__ import annotations

import click

from mars_score.metrics.registry import METRICS


@click.command()
def metrics() -> None:
    """List the metrics: name, which way is better, what is read beside the candidate, models, meaning."""
    rows = [("name", "better", "reads", "models", "what it says")]
    rows += [
        (
            name,
            "higher" if entry.higher_is_better else "lower",
            entry.inputs,
            ", ".join(entry.models),
            entry.summary,
        )
        for name, entry in METRICS.items()
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for *cells, summary in rows:
        padded = (f"{cell or '-':{width}}" for cell, width in zip(cells, widths, strict=True))
        click.echo("  ".join((*padded, summary)))
