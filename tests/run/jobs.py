"""Work that costs nothing, for workers that may be told to fail or to die."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import InputError

if TYPE_CHECKING:
    from mars_score.progress import StageProgress
    from mars_score.run.base import Worker


@dataclass(frozen=True)
class Squares:
    """Squares numbers; each worker notes its process, and what it has begun, in a folder."""

    folder: str
    seconds: float = 0.0
    deadly: int | None = None
    """The number that kills its worker with SIGKILL, as often as it is tried, or only at first."""
    always: bool = False
    wrong: int | None = None
    """The number that is an error of the package."""
    odd: int | None = None
    """The number that is an error of Python."""

    meet: int = 0
    """A worker goes on when so many have been made."""

    def __call__(self, progress: StageProgress) -> Worker[int, int]:
        note(self.folder, f"made-{os.getpid()}")
        return self.square

    def square(self, number: int) -> int:
        first = note(self.folder, f"begun-{number}")
        note(self.folder, f"begun-{number}-by-{os.getpid()}")
        if number == self.deadly and (first or self.always):
            os.kill(os.getpid(), signal.SIGKILL)
        if number == self.wrong:
            raise InputError(f"{number} is wrong", path="numbers.txt", line=number, remedy="leave it out")
        if number == self.odd:
            raise ZeroDivisionError(f"{number} is odd")
        deadline = time.monotonic() + 120
        while len(noted(Path(self.folder), "made-")) < self.meet:
            if time.monotonic() > deadline:
                raise TimeoutError("the other workers got nothing to do")
            time.sleep(0.01)
        time.sleep(self.seconds)
        return number * number


def note(folder: str, name: str) -> bool:
    """Make a file; tell whether it is new."""
    try:
        (Path(folder) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def noted(folder: Path, start: str) -> list[str]:
    """What was noted under names that start so."""
    return sorted(path.name.removeprefix(start) for path in folder.glob(f"{start}*"))
