"""Progress on standard error: bars with rate and remaining time on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.cli.progress_lines import ProgressLines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
    from rich.console import Console  # noqa: PLC0415  (only on a terminal)
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text  # noqa: PLC0415

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
