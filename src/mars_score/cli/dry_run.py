"""``--dry-run``: what a run would compute, and about how long that would take."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click

from mars_score import rates
from mars_score.augmentations.costs import size_of
from mars_score.cli.durations import duration
from mars_score.metrics.identity import augments
from mars_score.metrics.mars_metric import MarsMetric
from mars_score.metrics.registry import make_metric
from mars_score.references import distinct_references

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mars_score.cli.checking import Checked
    from mars_score.scorer import MarsScorer
    from mars_score.types import Example

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Say what would be computed and how long it would take; compute nothing."
)
_TOGETHER = 1000
"""References that are looked up together."""


def tell_scoring(checked: Checked, scorer: MarsScorer, metrics: Sequence[str], done: int) -> None:
    """Print what scoring would compute, after so many rows that are done."""
    left = checked.rows - done
    click.echo(f"rows: {checked.rows}, of which {done} are done and {left} are to be scored")
    click.echo(f"metrics: {', '.join(metrics)}")
    seconds: list[float | None] = []
    for name in metrics:
        if augments(name):
            metric = make_metric(name, scorer)
            assert isinstance(metric, MarsMetric)
            rest = islice(checked.read(), done, None)
            note = f" for {name}" if name != "mars" else ""
            seconds.append(_tell_references(rest, metric.scorer, note))
    rate = rates.known(rates.scoring(metrics, scorer))
    _tell_time(seconds, 0.0 if not left else None if rate is None else rate.of(left))


def tell_augmenting(checked: Checked, scorer: MarsScorer, done: int) -> None:
    """Print what augmenting would compute, after so many references that are done."""
    click.echo(f"rows: {checked.rows}; references done: {done}")
    _tell_time([_tell_references(checked.read(), scorer, "", done)])


def _tell_references(
    examples: Iterable[Example], scorer: MarsScorer, note: str, done: int = 0
) -> float | None:
    """Print what is to be augmented, and return how long that takes; None if that is not known."""
    references = islice(distinct_references(examples), done, None)
    count, new, size = 0, 0, 0
    for some in _looked_up(references, scorer):
        count += len(some)
        absent = scorer.to_augment(some)
        new += len(absent)
        size += sum(map(size_of, absent))
    source = "in the pack" if scorer.augmentations.pack else "cached"
    click.echo(f"references{note}: {count} distinct, of which {count - new} are {source} and {new} are new")
    rate = rates.known(rates.augmenting(scorer))
    return 0.0 if not new else None if rate is None else rate.of(size)


def _looked_up(references: Iterator[Example], scorer: MarsScorer) -> Iterator[list[Example]]:
    # With IDF from the corpus, what is known depends on all references.
    together = None if scorer.config.masking.idf == "corpus" else _TOGETHER
    while some := list(islice(references, together)):
        yield some


def _tell_time(references: Sequence[float | None], rows: float | None = 0.0) -> None:
    """Print how long it takes to augment references, and to do the rest for rows."""
    augmenting = None if None in references else sum(filter(None, references))
    if augmenting is None:
        click.echo(
            "time: unknown, as augmenting with these settings has not been timed on this machine; "
            "start the run and stop it after a minute: what it has finished is kept, and its speed too"
        )
        return
    about, rest = f"about {duration(augmenting + (rows or 0.0))} in one process", ""
    if rows is None:
        rest = " and more for the rows, which have not been timed with these settings yet"
    click.echo(
        f"time: {about}{rest}, at the speed of the last run on this machine; loading models is not counted"
    )
