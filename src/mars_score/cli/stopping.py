"""Ctrl-C and the polite signal to end: what is finished stays, and the way to go on is told."""

from __future__ import annotations

import shlex
import signal
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mars_score.files.line_writer import LineWriter
    from mars_score.files.writers import Writer

EXIT_INTERRUPTED = 130


@dataclass(slots=True)
class Run:
    """A run that can be stopped."""

    place: str | None
    """The output, if it is a file that can be gone on with."""
    writer: Writer | LineWriter[Any] | None = None


@contextmanager
def stoppable(place: str | None) -> Iterator[Run]:
    """Leave the program on Ctrl-C and SIGTERM, with a word on how to go on."""
    run = Run(place)
    with terminated_like_interrupted():
        try:
            yield run
        except KeyboardInterrupt:
            click.echo(_farewell(run), err=True)
            sys.exit(EXIT_INTERRUPTED)


def _farewell(run: Run) -> str:
    if run.place is None:
        return (
            "interrupted; the rows written so far are complete\n"
            "with -o FILE, the same command goes on where it stopped"
        )
    saved = run.writer.saved if run.writer is not None else 0
    told = "interrupted; the rows written so far are complete"
    count = f": {saved} in {run.place}" if run.writer is not None else ""
    arguments = [argument for argument in sys.argv[1:] if argument != "--restart"]
    return f"{told}{count}\nto go on: {shlex.join(['mars-score', *arguments])}"


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Make SIGTERM do what Ctrl-C does; job schedulers send it some seconds before they kill."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
