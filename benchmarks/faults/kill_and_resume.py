"""`kill -9` of `score` and `augment` at random moments, and the same command again: nothing lost, nothing done twice.

    python -m benchmarks.faults.kill_and_resume [KILLS [toys]]

300 rows: 60 references with five candidates each; scores in three formats, augmented references as JSON lines and as
a pack, in turn. A run is killed at a moment drawn from the whole
length of an undisturbed run, starting and loading included. Then the command is run again to its end. Three JSON
lines count the outputs that differ from the undisturbed one, the outputs that have a row twice or not at all, and
the augmentations that were finished before the kill and computed again. With toys for models, which take their time,
30 kills take four minutes; with the real ones, half an hour on two idle cores.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet

from benchmarks.faults.running import REAL, TOYS, Ended, finish, run, start, write_rows
from benchmarks.texts import stories
from benchmarks.timing import report
from mars_score.storage.cache import FILE

KILLS, REFERENCES, CANDIDATES = 30, 60, 5
SCORES = ("jsonl", "csv", "parquet")
AUGMENTED = ("augmented.jsonl", "marspack")
FORMATS = (*SCORES, *AUGMENTED)
"""How the outputs are called, after ``out.``."""
SEED = 0


def main(kills: int = KILLS, module: str = REAL) -> None:
    """Kill, go on, compare."""
    draw = random.Random(SEED)
    os.environ["TOY_SECONDS"] = "0.1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = list(_rows())
        write_rows(folder / "rows.jsonl", rows)
        seconds, expected = _undisturbed(folder, module)
        differing = wrong = again = 0
        moments: list[dict[str, Any]] = []
        while len(moments) < kills:
            form = FORMATS[len(moments) % len(FORMATS)]
            shutil.rmtree(folder / "cache", ignore_errors=True)
            moment = draw.uniform(0, seconds[form])
            process = start(folder, *_command(form), module=module)
            _sleep(moment, process)
            process.kill()
            if finish(process).code == 0:  # it was quicker than the undisturbed one: that is no kill
                _remove(folder, form)
                continue
            left, cached = _rows_left(folder, form), _cached(folder)
            ended = run(folder, *_command(form), module=module)
            result = _content(folder, form)
            differing += result != expected[form]
            wrong += form in SCORES and _ids(result, form) != [row["id"] for row in rows]
            total = len(rows) if form in SCORES else REFERENCES
            if left < total:
                # What the output itself has of augmented references is not looked up again.
                ready = max(cached, left) if form in AUGMENTED else cached
                again += max(0, ended.cost("references augmented") + ready - REFERENCES)
            moments.append(
                {
                    "at": moment, "rows_left": left, "cached": cached,
                    "same": result == expected[form], "total": total,
                }
            )  # fmt: skip
            print(
                json.dumps({"format": form, **moments[-1], "resumed": _told(ended)}),
                file=sys.stderr,
                flush=True,
            )
            _remove(folder, form)
        facts: dict[str, Any] = {
            "models": "toys" if module == TOYS else "real", "kills": kills,
            "outputs": list(FORMATS), "rows": len(rows), "references": REFERENCES, "seconds_undisturbed": seconds,
            "killed_with_rows": sum(0 < moment["rows_left"] < moment["total"] for moment in moments),
            "killed_with_augmentations": sum(0 < moment["cached"] < REFERENCES for moment in moments),
        }  # fmt: skip
        report("kill_and_resume_differing", float(differing), at_most=0, **facts)
        report("kill_and_resume_rows_lost_or_twice", float(wrong), at_most=0)
        report("kill_and_resume_augmented_again", float(again), at_most=0)


def _sleep(seconds: float, process: subprocess.Popen[str]) -> None:
    """Wait so long, but not for a process that has ended."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def _rows() -> list[dict[str, Any]]:
    pairs = stories(REFERENCES)
    return [
        {
            "id": f"{number}/{other}",
            "context": pair.context,
            "reference": pair.reference,
            # Endings of other stories: texts of the right kind that need no model to be made.
            "candidate": pairs[(number + other) % REFERENCES].reference,
        }
        for number, pair in enumerate(pairs)
        for other in range(CANDIDATES)
    ]


def _command(form: str) -> tuple[str, ...]:
    return "score" if form in SCORES else "augment", "rows.jsonl", "--preset", "qa", "-o", f"out.{form}"


def _undisturbed(folder: Path, module: str) -> tuple[dict[str, float], dict[str, Any]]:
    """Seconds and results of runs that nobody kills, each with a cache of its own."""
    seconds, expected = {}, {}
    for form in FORMATS:
        shutil.rmtree(folder / "cache", ignore_errors=True)
        began = time.perf_counter()
        ended = run(folder, *_command(form), module=module)
        seconds[form] = time.perf_counter() - began
        if ended.code:
            sys.exit(ended.err)
        expected[form] = _content(folder, form)
        _remove(folder, form)
    return seconds, expected


def _content(folder: Path, form: str) -> Any:
    """What an output says: its bytes, or the rows of a table."""
    output = folder / f"out.{form}"
    return pyarrow.parquet.read_table(output).to_pylist() if form == "parquet" else output.read_bytes()


def _ids(content: Any, form: str) -> list[str]:
    if form == "parquet":
        return [row["id"] for row in content]
    lines = content.decode().splitlines()
    return [row["id"] for row in (csv.DictReader(lines) if form == "csv" else map(json.loads, lines))]


def _rows_left(folder: Path, form: str) -> int:
    """Whole rows that the killed run had written."""
    if form == "marspack":
        return 0  # it appears whole; what was done before is in the cache
    left = folder / ("out.parquet.partial.jsonl" if form == "parquet" else f"out.{form}")
    if (folder / f"out.{form}").exists() and not left.exists():
        return len(_ids(_content(folder, form), form))
    return max(0, left.read_bytes().count(b"\n") - (form == "csv")) if left.exists() else 0


def _cached(folder: Path) -> int:
    """Augmentations that the killed run had finished."""
    if not (folder / "cache" / FILE).exists():
        return 0
    with closing(sqlite3.connect(folder / "cache" / FILE)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM rows").fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # killed before it had tables


def _told(ended: Ended) -> str:
    return ended.err.splitlines()[-1] if ended.err else ""


def _remove(folder: Path, form: str) -> None:
    for path in folder.glob(f"out.{form}*"):
        path.unlink()


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else KILLS, TOYS if "toys" in sys.argv[2:] else REAL)
