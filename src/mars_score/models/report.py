"""What the user sees while models are fetched and loaded, always on standard error: bars on a terminal, else lines.

The model libraries themselves are kept quiet.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr
from typing import Protocol


class Report(Protocol):
    """Where messages and progress go."""

    def say(self, text: str) -> None:
        """Show one line."""

    def agree(self, question: str) -> bool:
        """Ask whether to go on; where nobody can be asked, that is yes."""

    def task(self, text: str, size: int | None = None) -> AbstractContextManager[Callable[[int], None]]:
        """Show a step; the result is called with the number of further bytes."""


class SilentReport:
    """Says nothing."""

    def say(self, text: str) -> None:
        """Drop the line."""

    def agree(self, question: str) -> bool:
        """Ask nobody."""
        return True

    @contextmanager
    def task(self, text: str, size: int | None = None) -> Iterator[Callable[[int], None]]:
        """Drop the progress."""
        yield lambda _: None


class PlainReport:
    """One line a step, for logs."""

    def say(self, text: str) -> None:
        """Write the line."""
        print(text, file=sys.stderr, flush=True)

    def agree(self, question: str) -> bool:
        """Ask nobody: whoever reads a log cannot answer."""
        return True

    @contextmanager
    def task(self, text: str, size: int | None = None) -> Iterator[Callable[[int], None]]:
        """Write a line as the step begins."""
        self.say(f"{text} ({human_size(size)})" if size else text)
        yield lambda _: None


class TerminalReport(PlainReport):
    """A bar a step, and questions for whoever can answer them."""

    def agree(self, question: str) -> bool:
        """Ask, unless the answers would come from a pipe."""
        if not sys.stdin.isatty():
            return True
        print(f"{question} [Y/n] ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().lower() in ("", "y", "yes")

    @contextmanager
    def task(self, text: str, size: int | None = None) -> Iterator[Callable[[int], None]]:
        """Draw a bar; without a size, an indefinite one."""
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

        # Bound now: converters silence standard error, not this bar.
        console = Console(file=sys.stderr)
        columns = [TextColumn("{task.description}"), BarColumn()]
        columns += [DownloadColumn()] if size else []
        with Progress(*columns, TimeElapsedColumn(), console=console) as bar:
            task = bar.add_task(text, total=size)
            yield lambda done: bar.advance(task, done)
            bar.update(task, total=size or 1, completed=size or 1)


def default_report() -> Report:
    """Return bars on a terminal, otherwise plain lines."""
    return TerminalReport() if sys.stderr.isatty() else PlainReport()


def human_size(size: int) -> str:
    """Return bytes as a person reads them: ``93 MB``, ``1.1 GB``."""
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}" if unit == "GB" else f"{size / scale:.0f} {unit}"
    return f"{size} B"


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the libraries' own bars and notes while the block runs: a pipe must stay clean."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        # One bar of tqdm cannot be switched off, so standard error is redirected.
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
