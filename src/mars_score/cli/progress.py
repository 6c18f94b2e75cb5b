"""Progress on standard error: bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# Seconds as people say them.


def duration(seconds: float) -> str:
    """Return ``12.3 s``, ``45 min`` or ``3.1 h``."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


# Progress for logs: a line now and then, with rate and remaining time.

EVERY = 30.0
"""Seconds between two lines: short work says nothing, and the log of a night stays readable."""
VARIABLE = "MARS_SCORE_PROGRESS"
"""Of the environment: other seconds, or 0 for no lines."""


class ProgressLines:
    """Hears of every step, and writes few of them."""

    def __init__(
        self, total: int, noun: str, clock: Callable[[], float] = time.monotonic, *, alike: bool = True
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
        far = f"{self.noun}: {self.done:,} of {self.total:,}{self._pace(now)}"
        print(f"{far}; {self.doing}", file=sys.stderr, flush=True)

    def _pace(self, now: float) -> str:
        if not (self.done and self.alike):
            return ""
        rate = self.done / (now - self.started)
        left = max(0, self.total - self.done) / rate
        return f", {rate:.1f}/s, about {duration(left)} left"


def _every() -> float:
    text = os.environ.get(VARIABLE, "")
    try:
        return max(0.0, float(text)) if text else EVERY
    except ValueError as error:
        raise ConfigError(f"{VARIABLE}={text!r}: expected seconds, or 0 for no progress in logs") from error


# Progress on standard error: bars with rate and remaining time on a terminal, a line now and then in a log.


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

    class Rate(ProgressColumn):
        """Steps a second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f}/s" if speed else "", style="dim")

    columns = [
        TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeElapsedColumn(),
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
