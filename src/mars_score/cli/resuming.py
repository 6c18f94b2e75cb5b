"""Resuming an output, and ``--dry-run``: what a run would compute, and about how long that would take."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import click

from mars_score.cli.progress import duration
from mars_score.io.examples import distinct_references
from mars_score.io.fields import Kept
from mars_score.io.output import read_signatures, sidecar_of
from mars_score.io.writers import foreign
from mars_score.metrics.mars import MarsMetric
from mars_score.metrics.registry import augments, make_metric
from mars_score.run import rates
from mars_score.storage.augmentations import size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mars_score.cli.running import Checked
    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import Example


# Going on with an output: what it must have in common with the run that goes on.

Row = TypeVar("Row")
Expected = TypeVar("Expected")

restart_option = click.option(
    "--restart", is_flag=True, help="Begin anew where FILE of -o exists; by default the run goes on with it."
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What results come from. Two runs that have it in common write the same rows."""

    checked: Checked
    settings: str
    """The fingerprint of algorithms, settings and models, known before any model is loaded."""

    def facts(self, **more: object) -> dict[str, object]:
        """What the file beside the results says of it."""
        return {"input": self.checked.name, "digest": self.checked.digest, "settings": self.settings, **more}

    def known(self, output: str | None, left: Path) -> dict[str, str]:
        """Return the signatures of what is left of an earlier run; an output of other rows is refused."""
        beside = read_signatures(output) or {}
        signatures = beside.get("signatures")
        if not isinstance(signatures, dict) or "digest" not in beside:
            missing = sidecar_of(output)
            raise foreign(left, f"it exists, and no {missing} tells what it was made from")
        if beside["digest"] != self.checked.digest:
            was = beside.get("input")
            raise foreign(left, f"it was made from other rows ({was}) than {self.checked.name} has now")
        return signatures

    def same_settings(self, output: str | None) -> bool:
        """Whether an output was made by the same algorithms, with the same settings and models."""
        return (read_signatures(output) or {}).get("settings") == self.settings


def refuse_other_metrics(known: Mapping[str, str], wanted: Sequence[str], left: Path) -> None:
    """Refuse an output of other metrics, or in another order, which would be another table."""
    if list(known) != list(wanted):
        raise foreign(left, f"it has {', '.join(known)}; this run has {', '.join(wanted)}")


def refuse_other_signatures(known: Mapping[str, str], signatures: Mapping[str, str], left: Path) -> None:
    """Refuse an output that was made by other algorithms, or with other settings or models."""
    for name, signature in signatures.items():
        if known.get(name) != signature:
            raise foreign(
                left,
                f"{name} was computed otherwise\n  there: {known.get(name)}\n  now:   {signature}",
            )


def take_over(
    rows: Iterable[tuple[Row, int]],
    expected: Iterator[Expected],
    same: Callable[[Row, Expected], bool],
    left: Path,
) -> Kept:
    """Compare the rows that are left with what the input begins with, and return what can be kept: all of it.

    As many of the expected ones are consumed. Whoever wants the rows gets them while they are compared.
    """
    count = size = 0
    for row, end in rows:
        other = next(expected, None)
        if other is None:
            raise foreign(left, f"it has more rows than the input, which has {count}")
        if not same(row, other):
            raise foreign(left, f"its row {count + 1} does not belong to row {count + 1} of the input")
        count, size = count + 1, end
    return Kept(count, size) if count else Kept()


# ``--dry-run``: what a run would compute, and about how long that would take.

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
