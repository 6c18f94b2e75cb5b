"""What a run tells of itself: how far it is, what it took, and with ``--dry-run`` what it would take."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from itertools import islice
from math import isfinite
from operator import add
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

import click

from mars_score.errors import ConfigError
from mars_score.fingerprint import digest
from mars_score.io.examples import distinct_references
from mars_score.io.output import replacing
from mars_score.metrics.registry import MarsMetric, augments, make_metric
from mars_score.run.work import peak_memory
from mars_score.storage.augmentations import Costs, size_of
from mars_score.storage.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from mars_score.cli.running import Checked
    from mars_score.mars.scorer import MarsScorer
    from mars_score.run.work import Outcome
    from mars_score.types import Example

RATES = "rates.json"
_MOST_RATES = 200
"""Rates that are kept; the oldest go first."""
_TOGETHER = 1000
"""References that are looked up together."""
EVERY = 30.0
"""Seconds between two lines: short work says nothing, and the log of a night stays readable."""
VARIABLE = "MARS_SCORE_PROGRESS"
"""Of the environment: other seconds, or 0 for no lines."""


def duration(seconds: float) -> str:
    """Return ``12.3 s``, ``45 min`` or ``3.1 h``."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def counted(count: int, noun: str) -> str:
    """Return ``1 row`` or ``2 rows``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def decimals(values: Iterable[float | None]) -> int:
    """The digits after the point that numbers of one kind deserve: four to 10, one above, as on a scale to 100."""
    largest = max((abs(value) for value in values if value is not None and isfinite(value)), default=0.0)
    return 4 if largest < 10 else 1


def shown_signature(signature: str, *, whole: bool) -> str:
    """Return a signature, or a hash of it, which is as good for telling whether two are equal."""
    short = hashlib.sha256(signature.encode()).hexdigest()[:12]
    return signature if whole else f"{short} (--signature prints the whole)"


class ProgressLines:
    """Hears of every step, and writes few of them."""

    def __init__(
        self, total: int, noun: str, clock: Callable[[], float] = monotonic, *, alike: bool = True
    ) -> None:
        """Begin with nothing of `total` done. Where one is not like another, no time that is left is told."""
        self.total, self.noun, self.clock, self.alike = total, noun, clock, alike
        self.every = _every()
        self.done = 0
        self.doing = "loading"
        self.started = self.told = clock()

    def stage(self, name: str, finished: int, of: int) -> None:
        """What is being done to the rows at hand."""
        self.doing = f"{name} {finished:,} of {of:,}"
        self._tell()

    def rows(self, count: int) -> None:
        """So many further rows are finished."""
        self.done += count
        self._tell()

    def _tell(self) -> None:
        now = self.clock()
        if not self.every or now - self.told < self.every:
            return
        self.told = now
        pace = ""
        if self.done and self.alike:
            rate = self.done / (now - self.started)
            pace = f", {rate:.1f}/s, about {duration(max(0, self.total - self.done) / rate)} left"
        far = f"{self.noun}: {self.done:,} of {self.total:,}{pace}"
        print(f"{far}; {self.doing}", file=sys.stderr, flush=True)


def _every() -> float:
    text = os.environ.get(VARIABLE, "")
    try:
        return max(0.0, float(text)) if text else EVERY
    except ValueError as error:
        raise ConfigError(f"{VARIABLE}={text!r}: expected seconds, or 0 for no progress in logs") from error


@dataclass(frozen=True, slots=True)
class Bars:
    """The two things that a run reports."""

    stage: Callable[[str, int, int], None]
    """What is being done to the rows at hand: (stage, finished, total)."""
    rows: Callable[[int], None]
    """So many further rows are finished."""


@contextmanager
def bars(total: int, noun: str = "rows", *, alike: bool = True) -> Iterator[Bars]:
    """Show bars while the block runs; without the time that is left if some take much longer than others."""
    if not sys.stderr.isatty():
        lines = ProgressLines(total, noun, alike=alike)
        yield Bars(lines.stage, lines.rows)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Speed(ProgressColumn):
        """Steps a second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f}/s" if speed else "", style="dim")

    columns = [
        TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), Speed(), TimeElapsedColumn(),
        *([TextColumn("left"), TimeRemainingColumn()] if alike else []),
    ]  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        overall = progress.add_task(noun, total=total)
        current = progress.add_task("loading", total=None)
        shown = ""

        def stage(name: str, finished: int, of: int) -> None:
            nonlocal shown
            if name != shown:
                shown = name
                progress.reset(current, total=of, description=name)
            progress.update(current, completed=finished, total=of)

        yield Bars(stage, lambda rows: progress.advance(overall, rows))


@dataclass(frozen=True, slots=True)
class Rate:
    """Seconds that a number of units took."""

    seconds: float
    units: float

    def of(self, units: float) -> float:
        """Seconds for so many units."""
        return self.seconds * units / self.units


def augmenting_rate(scorer: MarsScorer) -> str:
    """Name the rate of augmenting with these settings; its units are sizes."""
    settings = repr(scorer.config.masking), repr(scorer.config.infilling), scorer.parts.device
    return digest("augmenting", *settings).hex()[:24]


def scoring_rate(metrics: Sequence[str], scorer: MarsScorer) -> str:
    """Name the rate of everything else; its units are rows."""
    settings = [repr(scorer.config.scoring), scorer.config.infilling.lm, scorer.parts.device]
    return digest("scoring", list(metrics), settings).hex()[:24]


def known_rate(name: str) -> Rate | None:
    """Return what was learned last, if anything was."""
    entry = _read_rates().get(name)
    try:
        rate = Rate(float(entry["seconds"]), float(entry["units"])) if entry else None
    except (TypeError, KeyError, ValueError):
        return None
    return rate if rate is not None and rate.seconds > 0 and rate.units > 0 else None


def learn_rate(name: str, rate: Rate) -> None:
    """Remember a rate in place of an older one. Where nothing can be written, nothing is learned."""
    if rate.seconds <= 0 or rate.units <= 0:
        return
    rates = _read_rates()
    rates.pop(name, None)
    rates[name] = {"seconds": rate.seconds, "units": rate.units}
    try:
        _rates_file().parent.mkdir(parents=True, exist_ok=True)
        with replacing(_rates_file()) as temporary:
            temporary.write_text(
                json.dumps(dict(list(rates.items())[-_MOST_RATES:]), indent=1), encoding="utf-8"
            )
    except OSError:
        return


def _read_rates() -> dict[str, Any]:
    try:
        rates = json.loads(_rates_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return rates if isinstance(rates, dict) else {}


def _rates_file() -> Path:
    return cache_folder() / RATES


@dataclass(slots=True)
class CostReport:
    """Adds up what batches took, wherever they were done."""

    costs: Costs = field(default_factory=Costs)
    scoring: Rate = field(default_factory=lambda: Rate(0, 0))
    """What rows took beside augmentation."""
    peak: int = 0
    started: float = field(default_factory=perf_counter)

    def add(self, outcome: Outcome[Any]) -> None:
        """Count a batch in."""
        costs = outcome.costs
        self.costs = Costs(*map(add, astuple(self.costs), astuple(costs)))
        seconds = outcome.seconds - costs.seconds - costs.loading
        self.scoring = Rate(self.scoring.seconds + seconds, self.scoring.units + len(outcome.rows))
        self.peak = max(self.peak, outcome.peak_memory)

    def learn(self, scorer: MarsScorer, metrics: Sequence[str] = ()) -> None:
        """Remember how long things took; with metrics, how long rows took too."""
        # A run that was stopped in its first batch has no outcome yet, but may have augmented here.
        costs = self.costs if self.costs.size else scorer.costs
        learn_rate(augmenting_rate(scorer), Rate(costs.seconds, costs.size))
        if metrics:
            learn_rate(scoring_rate(metrics, scorer), self.scoring)

    def show(self) -> None:
        """Print the line on standard error."""
        costs, peak = self.costs, max(self.peak, peak_memory())
        total = costs.augmented + costs.cached + costs.packed
        sources = [f"{costs.augmented:,} augmented now", f"{costs.cached:,} from the cache"]
        sources += [f"{costs.packed:,} from the pack"] if costs.packed else []
        parts = [f"{counted(total, 'reference')} ({', '.join(sources)})"]
        parts += [f"{counted(costs.generated, 'token')} written", f"{perf_counter() - self.started:.1f} s"]
        parts += [f"peak memory {peak / (1 << 20):,.0f} MB"] if peak else []
        click.echo(f"cost: {', '.join(parts)}", err=True)


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
    rate = known_rate(scoring_rate(metrics, scorer))
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
    # With IDF from the corpus, what is known depends on all references.
    together = None if scorer.config.masking.idf == "corpus" else _TOGETHER
    while batch := list(islice(references, together)):
        count += len(batch)
        absent = scorer.to_augment(batch)
        new += len(absent)
        size += sum(map(size_of, absent))
    source = "in the pack" if scorer.augmentations.pack else "cached"
    click.echo(f"references{note}: {count} distinct, of which {count - new} are {source} and {new} are new")
    rate = known_rate(augmenting_rate(scorer))
    return 0.0 if not new else None if rate is None else rate.of(size)


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
