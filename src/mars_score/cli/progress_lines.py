"""Progress for logs: a line now and then, with rate and remaining time."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from mars_score.cli.durations import duration
from mars_score.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

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
