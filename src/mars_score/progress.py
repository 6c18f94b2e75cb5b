"""How stages report their progress; the library itself prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Called with (finished, total) during the work."""
StageProgress = Callable[[str, int, int], None]
"""Called with (stage, finished, total): stages are masking, infilling and encoding."""


def silent(finished: int, total: int) -> None:
    """Report no progress."""


def silent_stages(stage: str, finished: int, total: int) -> None:
    """Report no progress of stages."""


@contextmanager
def showing(progress: bool | StageProgress) -> Iterator[StageProgress]:
    """Yield what stages tell their progress to: a caller's function, or bars on standard error or in a notebook."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield silent_stages
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks = {}

        def show(stage: str, finished: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=finished, total=total)

        yield show
