"""How a run ends early: what is finished is kept, and the user reads how to resume."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from mars_score.run.base import Engine, LocalEngine

if TYPE_CHECKING:
    from mars_score.io.writers import LineWriter, Writer

EXIT_INTERRUPTED = 130
_AGAIN = b"interrupted again; exiting now. What was written is kept, and the same command resumes there.\n"


@dataclass(slots=True)
class Run:
    """A run that can be stopped."""

    output: str | None
    """The output, if it is a file that a later run can continue."""
    writer: Writer | LineWriter[Any] | None = None


@contextmanager
def stoppable(output: str | None) -> Iterator[Run]:
    """Leave the program on Ctrl-C and SIGTERM, after saying how to resume."""
    run = Run(output)
    with terminated_like_interrupted():
        try:
            yield run
        except KeyboardInterrupt:
            click.echo(_interrupt_message(run), err=True)
            sys.exit(EXIT_INTERRUPTED)


def _interrupt_message(run: Run) -> str:
    message = "interrupted; the rows written so far are complete"
    if run.output is None:
        return f"{message}\nwith -o FILE, the same command resumes where it stopped"
    count = f": {run.writer.saved} in {run.output}" if run.writer is not None else ""
    return f"{message}{count}\nto resume: {_same_command()}"


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
            # Not sys.exit: clean-up code would keep running, or show a traceback.
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
def explain_sudden_end(engine: Engine) -> Iterator[None]:
    """Have another process say how to resume if this one ends inside the block without a message.

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
        "  remedy: start Ray again, and run the same command again; the run continues after what was written\n"
        f"to resume: {_same_command()}\n"
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
        with suppress(subprocess.TimeoutExpired):
            speaker.wait(timeout=10)


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
