"""The disk is full while results are written: a clear error, a valid file, and the same command again.

    python -m benchmarks.faults.disk_full_output

Needs Linux and root, as it mounts a small tmpfs. The models are toys. Each kind of output meets the end of the disk;
then there is space, and the same command must end with the same rows as if nothing had been. A JSON line for each
kind says how many things did not hold.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet

from benchmarks.faults.running import TOYS, Ended, run, write_rows
from benchmarks.timing import report

ROWS = 3000
SMALL, LARGE = "48k", "8m"
KINDS = (("score", "jsonl"), ("score", "csv"), ("score", "parquet"), ("augment", "jsonl"))


def main() -> None:
    """Fill the disk, make room, go on."""
    if os.geteuid() != 0:
        sys.exit("this needs root, to mount a tmpfs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder / "rows.jsonl", map(_row, range(ROWS)))
        for command, form in KINDS:
            _try(folder, command, form)


def _try(folder: Path, command: str, form: str) -> None:
    output, disk = f"disk/out.{form}", folder / "disk"
    expected = _read(folder, f"{command}-expected.{form}", _go(folder, command, f"{command}-expected.{form}"))
    disk.mkdir(exist_ok=True)
    _mount(disk, SMALL)
    try:
        full = _go(folder, command, output)
        kept = folder / (f"{output}.partial.jsonl" if form == "parquet" else output)
        left = _rows(kept, "jsonl" if form == "parquet" else form)
        _mount(disk, LARGE, again=True)
        ended = _go(folder, command, output)
        result = _read(folder, output, ended)
        beside = json.loads((folder / f"{output}.signatures.json").read_text(encoding="utf-8"))
    finally:
        subprocess.run(["umount", disk], check=True)
    checks = {
        "exit code 2": full.code == 2,
        "a clear error": full.err.startswith("error: ") and "No space left on device" in full.err,
        "no traceback": "Traceback" not in full.err,
        "whole rows only": 0 < len(left) < len(expected)
        and left == (expected[: len(left)] if form != "parquet" else left),
        "resumes": f"resuming after {len(left)} of {len(expected)}" in ended.err,
        "the same in the end": result == expected,
        "a finished file of signatures": ("rows" in beside) or ("references" in beside),
    }
    failed = [check for check, holds in checks.items() if not holds]
    report(
        f"disk_full_output_{command}_{form}", float(len(failed)), at_most=0, failed=failed,
        rows=len(expected), rows_saved=len(left), error=full.err.splitlines()[0] if full.err else "",
    )  # fmt: skip


def _go(folder: Path, command: str, output: str) -> Ended:
    return run(folder, command, "rows.jsonl", "-o", output, module=TOYS)


def _read(folder: Path, output: str, ended: Ended) -> list[Any]:
    if ended.code:
        sys.exit(ended.err)
    return _rows(folder / output, output.rsplit(".", 1)[1])


def _rows(path: Path, form: str) -> list[Any]:
    """The rows of a file, read with plain tools."""
    if form == "parquet":
        return list(pyarrow.parquet.read_table(path).to_pylist())
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines)) if form == "csv" else [json.loads(line) for line in lines]


def _row(number: int) -> dict[str, Any]:
    return {
        "id": f"row {number}",
        "context": "The harbour was still asleep under the fog.",
        "reference": f"Boat {number} came back at noon with its nets full of herring.",
        "candidate": f"Boat number {number} returned before the storm.",
    }


def _mount(folder: Path, size: str, *, again: bool = False) -> None:
    options = f"{'remount,' if again else ''}size={size}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)


if __name__ == "__main__":
    main()
