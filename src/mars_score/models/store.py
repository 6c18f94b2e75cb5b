"""The model store: a folder of finished models, each fetched, checked and converted once.

The store is ``$MARS_SCORE_HOME``, or ``models`` in the user's cache folder for mars-score:

    <name>/       a finished model with its manifest; it appears in one step, complete or not at all
    archives/     archives that the user brought by hand; they are taken before anything is downloaded
    .locks/       one lock a model
    .work/        unfinished business; may be deleted when nothing runs
    .hashes.json  the hashes of files as they were read last; may be deleted
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from filelock import FileLock, Timeout

from mars_score.errors import ModelError
from mars_score.models.catalogue import Catalogue, CatalogueEntry, default_catalogue
from mars_score.models.manifest import HASHES, all_problems, content_problems, quick_problems

LARGE = 200 * 10**6
"""Bytes of a download that people on a terminal are asked about first."""
State = Literal["ready", "absent", "damaged"]


@dataclass(frozen=True, slots=True)
class Status:
    """How a model of the catalogue stands in the store."""

    entry: CatalogueEntry
    state: State
    problems: tuple[str, ...]
    path: Path


def default_root() -> Path:
    """Return the folder of the store when none is given."""
    if home := os.environ.get("MARS_SCORE_HOME"):
        return Path(home).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("mars-score", appauthor=False)) / "models"


class ModelStore:
    """Finds models, and fetches them when they are absent. Safe to use from many processes."""

    def __init__(
        self,
        root: str | Path | None = None,
        report: Report | None = None,
        catalogue: Catalogue | None = None,
        *,
        every_byte: bool = False,
    ) -> None:
        """With `every_byte`, models are read whole before they are loaded, not only what has changed on disk."""
        self.root = (default_root() if root is None else Path(root)).absolute()
        self.report = default_report() if report is None else report
        self.catalogue = default_catalogue() if catalogue is None else catalogue
        self.record = None if every_byte else self.root / HASHES

    def __reduce__(self) -> tuple[type[ModelStore], tuple[Path, None, Catalogue | None]]:
        """Pickle where the models are; how downloads are reported is up to the process that unpickles."""
        return ModelStore, (
            self.root,
            None,
            None if self.catalogue is default_catalogue() else self.catalogue,
        )

    @property
    def archives(self) -> Path:
        """Where archives that were brought by hand are looked for."""
        return self.root / "archives"

    def path(self, name: str) -> Path:
        """Return a finished model's folder; raises :class:`ModelError` if it is absent or damaged."""
        status = self._status(self.catalogue[name])
        if status.state == "ready":
            return status.path
        why = f": {'; '.join(status.problems)}" if status.problems else ""
        raise ModelError(
            f"model {name!r} is {status.state} in {self.root}{why}\n  remedy: mars-score models get {name}"
        )

    def ensure(self, name: str, *, accept_terms: bool = False) -> Path:
        """Return a model's folder, fetching the model if it is absent or damaged."""
        entry = self.catalogue[name]
        status = self._status(entry)
        # A finished model needs no lock, so that a store may be read-only.
        if status.state == "ready":
            return status.path
        if entry.terms and not accept_terms and status.state == "absent":
            raise ModelError(
                f"model {name!r} has terms that you must accept first: {entry.terms}\n"
                f"  remedy: mars-score models get --accept-terms {name}"
            )
        with self._locked(name):
            status = self._status(entry)
            if status.state != "ready":
                self._fetch(status)
        return self.path(name)

    def verified(self, name: str) -> Path:
        """Return a model's folder after comparing its files with their record; for loading.

        Every byte of a file is read when it was changed, which costs about a second a gigabyte. A model whose content
        is another one is fetched again.
        """
        folder, entry = self.ensure(name), self.catalogue[name]
        if content_problems(folder, entry, record=self.record):
            with self._locked(name):
                if problems := content_problems(folder, entry):  # others may have fetched it meanwhile
                    self._fetch(Status(entry, "damaged", tuple(problems), folder))
        return self.path(name)

    def verify(self, name: str) -> list[str]:
        """Re-read a model and return what is wrong with it; an empty list means that all is well."""
        entry = self.catalogue[name]
        if not (self.root / name).is_dir():
            return ["it is absent"]
        with self.report.task(f"verifying {name}", entry.disk) as advance:
            return all_problems(self.root / name, entry, advance)

    def remove(self, name: str) -> bool:
        """Delete a model; returns whether there was one."""
        folder = self.root / self.catalogue[name].name
        if not folder.exists():
            return False
        with self._locked(name):
            if not folder.exists():  # another process was quicker
                return False
            grave = self.root / ".work" / f"{name}.removed"
            grave.parent.mkdir(exist_ok=True)
            shutil.rmtree(grave, ignore_errors=True)
            # Renamed first: nobody ever sees half a model.
            os.replace(folder, grave)
            shutil.rmtree(grave)
        return True

    def status(self) -> list[Status]:
        """Return how every model of the catalogue stands, at a glance (sizes, not hashes)."""
        return [self._status(entry) for entry in self.catalogue]

    def _status(self, entry: CatalogueEntry) -> Status:
        folder = self.root / entry.name
        if not folder.is_dir():
            return Status(entry, "absent", (), folder)
        problems = tuple(quick_problems(folder, entry))
        return Status(entry, "damaged" if problems else "ready", problems, folder)

    def _fetch(self, status: Status) -> None:
        """Make the model and put it in its place in one step. The lock is held."""
        name = status.entry.name
        if status.entry.terms:
            self.report.say(f"{name}: {status.entry.terms} (accepted)")
        for problem in status.problems:
            self.report.say(f"{name} is damaged: {problem}; it is fetched again")
        size = status.entry.download
        if size > LARGE and not self.report.agree(
            f"{name} is a download of {human_size(size)}. Fetch it now?"
        ):
            raise ModelError(
                f"model {name!r} is not here, and was not to be fetched\n"
                f"  remedy: mars-score models get {name}, when {human_size(size)} are no trouble; or name another model"
            )
        work = self.root / ".work" / name
        try:
            from mars_score.models.fetch import build

            finished = build(status.entry, work, self.archives, self.report)
            if status.path.exists():
                os.replace(status.path, work / "old")
            os.replace(finished, status.path)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        self.report.say(f"{name} is ready: {status.path}")

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """Hold the model's lock; a process that waited finds the model finished."""
        lock = FileLock(self.root / ".locks" / f"{name}.lock")
        try:
            Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                self.report.say(f"{name} is in use by another process; waiting for it")
                lock.acquire()
            yield
        except OSError as error:
            raise ModelError(
                f"the store {self.root} cannot be written to: {error}\n"
                "  remedy: make room or permit writing there, or set MARS_SCORE_HOME to another folder"
            ) from error
        finally:
            lock.release()


# What the user sees while models are fetched and loaded, always on standard error: bars on a terminal, else lines.


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
