"""Running the command line in a process of its own, with a folder for its cache and an eye on its memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REAL, TOYS = "mars_score", "benchmarks.faults.toys"
"""Modules that are the command line: with its models, and with toys in their place."""
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ended:
    """What is left of a process."""

    code: int
    out: str
    err: str
    peak: int
    """Bytes; 0 if that could not be learned."""

    def cost(self, what: str) -> int:
        """A number of the last line, such as that of "references augmented"."""
        count = re.search(rf"^cost: .*?([\d,]+) {re.escape(what)}", self.err, re.MULTILINE)
        if count is None:
            raise ValueError(f"no {what} in {self.err!r}")
        return int(count[1].replace(",", ""))


def start(folder: Path, *arguments: str, module: str = REAL) -> subprocess.Popen[str]:
    """Start the command line in a folder; its cache is there too."""
    environment = os.environ | {
        "MARS_SCORE_CACHE": str(folder / "cache"), "MARS_SCORE_CACHE_SIZE": "2G", "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=folder, env=environment, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> Ended:
    """Wait for the end of a process that says little."""
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        out, err = process.stdout.read(), process.stderr.read()
    peak = 0
    if process.returncode is None:  # whoever sends a signal may have learned that there is nobody left
        # Not process.wait(): only this tells the memory of one process.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode, peak = os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024
    return Ended(process.returncode, out, err, peak)


def run(folder: Path, *arguments: str, module: str = REAL) -> Ended:
    """Run the command line from start to end."""
    return finish(start(folder, *arguments, module=module))


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(row)}\n" for row in rows)
