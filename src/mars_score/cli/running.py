"""A run from rows to outcomes: the first reading, batches through an engine, stopping, and what it cost."""

from __future__ import annotations

import hashlib
import io
import os
import shlex
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mars_score.cli.progress import bars
from mars_score.errors import InputError
from mars_score.io.source import is_regular
from mars_score.run import rates
from mars_score.run.base import LocalEngine
from mars_score.run.work import peak_memory
from mars_score.storage.augmentations import Costs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mars_score.cli.options import Input
    from mars_score.io.writers import LineWriter, Writer
    from mars_score.mars.scorer import MarsScorer
    from mars_score.progress import StageProgress
    from mars_score.run.base import Engine, Worker
    from mars_score.run.work import Outcome
    from mars_score.types import Example

    pass


# How a run ends before its time: what is finished stays, and the way to go on is told.

EXIT_INTERRUPTED = 130
_AGAIN = (
    b"interrupted again; leaving at once. What was written stays, and the same command goes on with it.\n"
)


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
    return f"{told}{count}\nto go on: {_same_command()}"


def _same_command() -> str:
    arguments = [argument for argument in sys.argv[1:] if argument != "--restart"]
    return shlex.join(["mars-score", *arguments])


@dataclass(slots=True)
class _Interrupts:
    """What signals do in this process: the first one ends the run in order, the next one at once."""

    begun: bool = False

    def __call__(self, number: int, frame: object) -> None:
        """Take a signal."""
        if self.begun:
            with suppress(OSError):
                os.write(2, _AGAIN)
            # Not sys.exit: whatever is being tidied up would go on, or show a traceback.
            os._exit(EXIT_INTERRUPTED)
        self.begun = True
        raise KeyboardInterrupt


_interrupts = _Interrupts()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a second Ctrl-C leave at once, also while the first one is seen to and while Python ends."""
    _interrupts.begun = False
    # A shell that starts a program in the background may have it ignore Ctrl-C, which stays so.
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    signal.signal(signal.SIGINT, _interrupts)
    try:
        yield
    except SystemExit as leaving:
        _interrupts.begun |= leaving.code == EXIT_INTERRUPTED
        raise
    finally:
        if not _interrupts.begun:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Make SIGTERM do what Ctrl-C does; job schedulers send it some seconds before they kill."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return
    before = signal.signal(signal.SIGTERM, _interrupts)
    try:
        yield
    finally:
        if not _interrupts.begun:
            signal.signal(signal.SIGTERM, before)


_SPEAKER = """
import sys
words = sys.stdin.buffer.read()
message, end, verdict = words.rpartition(b"\\0")
if end and not verdict:
    sys.stderr.buffer.write(message)
"""


@contextmanager
def last_words(engine: Engine) -> Iterator[None]:
    """Have somebody say how to go on if this process ends inside the block without a word.

    Ray ends the whole process, with exit code 1 and from a thread of its own, when its node dies; nothing here can
    catch that. So a small process waits at the other end of a pipe: if the pipe closes and nobody said that all is
    well, it speaks.
    """
    if isinstance(engine, LocalEngine):
        yield
        return
    message = (
        "error: this process was ended from outside: its Ray node on this machine or the head of the cluster died, "
        "or somebody killed it\n"
        "  remedy: start Ray again, and run the same command again; what was written is complete and is gone on with\n"
        f"to go on: {_same_command()}\n"
    )
    speaker = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _SPEAKER], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is not for it
    )  # fmt: skip
    assert speaker.stdin is not None
    try:
        speaker.stdin.write(message.encode("utf-8", "backslashreplace") + b"\0")
        speaker.stdin.flush()
        yield
    finally:
        with suppress(OSError):
            speaker.stdin.write(b"done")
            speaker.stdin.close()
        speaker.wait()


def prepare_streams() -> None:
    """Give closed standard streams a place (``<&-``, ``>&-``, ``2>&-``), so that no file gets their numbers.

    A file of results with the number of standard error would take every warning of a library. What is read from a
    closed stream or printed to one fails, as it would without this; messages go nowhere. Names of files may have
    bytes that are no text: they are spelled out, not an error.
    """
    for number, name, mode, flags in (
        (0, "stdin", "r", os.O_WRONLY), (1, "stdout", "w", os.O_RDONLY), (2, "stderr", "w", os.O_WRONLY),
    ):  # fmt: skip
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            # Standard input that can only be written to, and output that can only be read: using them is an error.
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            stream = open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
    for printed in (sys.stdout, sys.stderr):
        if isinstance(printed, io.TextIOWrapper) and printed.errors == "strict":
            printed.reconfigure(errors="backslashreplace")


# What a run took, in its last line.


@dataclass(slots=True)
class CostReport:
    """Adds up what batches took, wherever they were done."""

    costs: Costs = field(default_factory=Costs)
    scoring: rates.Rate = field(default_factory=lambda: rates.Rate(0, 0))
    """What rows took beside augmentation."""
    peak: int = 0
    started: float = field(default_factory=perf_counter)

    def add(self, outcome: Outcome[Any]) -> None:
        """Count a batch in."""
        mine, its = self.costs, outcome.costs
        mine.augmented += its.augmented
        mine.cached += its.cached
        mine.packed += its.packed
        mine.generated += its.generated
        mine.seconds += its.seconds
        mine.size += its.size
        seconds = outcome.seconds - its.seconds - its.loading
        self.scoring = rates.Rate(self.scoring.seconds + seconds, self.scoring.units + len(outcome.rows))
        self.peak = max(self.peak, outcome.peak_memory)

    def learn(self, scorer: MarsScorer, metrics: Sequence[str] = ()) -> None:
        """Remember how long things took; with metrics, how long rows took too."""
        # A run that was stopped in its first batch has no outcome yet, but may have augmented here.
        costs = self.costs if self.costs.size else scorer.costs
        rates.learn(rates.augmenting(scorer), rates.Rate(costs.seconds, costs.size))
        if metrics:
            rates.learn(rates.scoring(metrics, scorer), self.scoring)

    def show(self) -> None:
        """Print the line on standard error."""
        costs, peak = self.costs, max(self.peak, peak_memory())
        parts = [f"{costs.augmented:,} references augmented", f"{costs.cached:,} cache hits"]
        parts += [f"{costs.packed:,} from the pack"] if costs.packed else []
        parts += [f"{costs.generated:,} tokens", f"{perf_counter() - self.started:.1f} s"]
        parts += [f"peak memory {peak / (1 << 20):,.0f} MB"] if peak else []
        click.echo(f"cost: {', '.join(parts)}", err=True)


# The first reading of an input: whether every row is good, how many there are, and what they say.


@dataclass(frozen=True, slots=True)
class Checked:
    """An input that has been read to its end once; from a regular file, its rows are not in memory."""

    source: Input
    rows: int
    digest: str
    """Of all texts of all rows: other rows have another one, whatever their file is called."""
    held: tuple[Example, ...] | None = None
    """What came through a pipe, which cannot be read again."""

    @property
    def name(self) -> str:
        """The file that names the rows in messages."""
        return self.source.name

    def read(self) -> Iterator[Example]:
        """Yield the rows again; if they are no longer those that were checked, the end is an error."""
        if self.held is not None:
            yield from self.held
            return
        digest = _Digest()
        # A file that has grown meanwhile is no reason to lose what can still be scored.
        yield from digest.of(islice(self.source.again(), self.rows))
        if digest.text != self.digest:
            raise InputError(
                "the file was changed during the run, so some rows of the output may be of its old content",
                path=self.name,
                remedy="leave the file alone, and run again with --restart",
            )


def check(source: Input) -> Checked:
    """Read everything, so that a bad row is found before anything is computed."""
    digest = _Digest()
    if not all(map(is_regular, source.paths)):  # standard input or another pipe: read only once
        held = tuple(digest.of(source.read()))
        return Checked(source, len(held), digest.text, held)
    return Checked(source, sum(1 for _ in digest.of(source.read())), digest.text)


class _Digest:
    """A hash of rows that grows with each."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def of(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Pass examples on, and take them into the hash."""
        for example in examples:
            texts = (example.id, example.candidate, example.context, example.question, *example.references)
            # Lengths first: they mark where one text ends and the next one starts.
            lengths = ",".join(str(len(text)) for text in texts)
            self._hash.update(f"{lengths};{''.join(texts)}".encode("utf-8", "surrogatepass"))
            yield example

    @property
    def text(self) -> str:
        """The hash of what has passed so far."""
        return self._hash.hexdigest()


# From rows to outcomes: batches through an engine, with progress and the bill.

CHUNK = 256
"""Rows that are scored together and then saved."""
SHARE = 32
"""The fewest that a worker of several gets at a time: with them the decoder is about as fast as it can be."""
PORTIONS = 64
"""In how many portions a small file is given to workers, so that none waits long for the last one."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Batches:
    """Examples by the batch, taken as they are needed."""

    examples: Iterable[Example]
    size: int
    expected: int
    """About how many examples there are."""

    def __iter__(self) -> Iterator[list[Example]]:
        rest = iter(self.examples)
        while batch := list(islice(rest, self.size)):
            yield batch

    def __length_hint__(self) -> int:
        return -(-self.expected // self.size)


def chunk_size(engine: Engine, rows: int, most: int) -> int:
    """Rows that go together; where several workers share the work, fewer of a small file."""
    if isinstance(engine, LocalEngine):
        return most
    return min(most, max(SHARE, -(-rows // PORTIONS)))


def run(
    engine: Engine,
    make: Callable[[StageProgress], Worker[list[Example], Outcome[Row]]],
    batches: Batches,
    bill: CostReport,
    noun: str = "rows",
) -> Iterator[Row]:
    """Yield the row of each example in order, a batch at a time."""
    with last_words(engine), bars(batches.expected, noun) as show:
        outcomes = engine.run(make, batches, show.stage)
        try:
            for outcome in outcomes:
                bill.add(outcome)
                yield from outcome.rows
                show.rows(len(outcome.rows))
        finally:
            # An engine that has started workers ends them now, not when memory is tidied.
            if (close := getattr(outcomes, "close", None)) is not None:
                close()
