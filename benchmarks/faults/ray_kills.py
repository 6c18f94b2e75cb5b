"""`kill -9` of a Ray worker's process, then of an actor through Ray, while `mars-score score --engine ray` runs.

    OMP_NUM_THREADS=1 python -m benchmarks.faults.ray_kills [REFERENCES]

Real models, two workers of one thread, two rows a batch. One JSON line: bytes in which the output differs from that of
the local engine, and how many rows were written when each worker was killed.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.faults.running import write_rows
from benchmarks.texts import candidates, stories
from benchmarks.timing import report
from mars_score.cli import main as command_line
from mars_score.cli import running

if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCES = 12
FIRST_KILL, SECOND_KILL = 2, 4
"""Rows that are written by then."""


class Killer(threading.Thread):
    """Kills as rows come in."""

    def __init__(self, output: Path) -> None:
        super().__init__(daemon=True)
        self.output = output
        self.killed: dict[str, int] = {}
        """Rows that were written, by the way of killing."""

    def run(self) -> None:
        """Wait for rows, kill, wait for more, kill."""
        plan: list[tuple[Callable[[], bool], int]] = [(kill_process, FIRST_KILL), (kill_actor, SECOND_KILL)]
        for kill, after in plan:
            while self.rows() < after or not kill():
                threading.Event().wait(0.02)
            self.killed[kill.__name__] = self.rows()

    def rows(self) -> int:
        """Rows that are written."""
        return self.output.read_bytes().count(b"\n") if self.output.exists() else 0


def kill_process() -> bool:
    """Kill -9 a worker's process while it does a batch; tell whether there was one."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        pid = int(path.parent.name)
        try:
            title = path.read_text(encoding="utf-8")
            if title.startswith("ray::") and "_Actor.do" in title and os.getpid() in _ancestors(pid):
                os.kill(pid, signal.SIGKILL)
                return True
        except OSError:
            continue
    return False


def _ancestors(pid: int) -> list[int]:
    pids = []
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
        pids.append(pid)
    return pids


def kill_actor() -> bool:
    """Have Ray kill an actor; tell whether there was one."""
    import ray

    names = sorted(ray.util.list_named_actors()) if ray.is_initialized() else []
    if names:
        ray.kill(ray.get_actor(names[0]))
    return bool(names)


def score(*arguments: str) -> None:
    """Run the command in this process."""
    sys.argv = ["mars-score", "score", "rows.jsonl", "--no-cache", "--metric", "mars,bertscore", *arguments]
    command_line.run()


def main(references: int = REFERENCES) -> None:
    """Score twice, kill in the second run, compare."""
    running.SHARE = 2
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        rows = [
            {"id": f"{i}-{j}", "candidate": text, "reference": pair.reference, "context": pair.context}
            for i, pair in enumerate(stories(references))
            for j, text in enumerate(candidates(pair, 2))
        ]
        write_rows(Path("rows.jsonl"), rows)
        score("-o", "local.jsonl")
        killer = Killer(Path("ray.jsonl"))
        killer.start()
        score("-o", "ray.jsonl", "--engine", "ray", "--workers", "2")
        local, ray = Path("local.jsonl").read_bytes(), Path("ray.jsonl").read_bytes()
        differing = sum(a != b for a, b in zip(local, ray, strict=False)) + abs(len(local) - len(ray))
        report("ray_kills_differing", float(differing), at_most=0, rows=len(rows), killed=killer.killed)
        os.chdir("/")
        if len(killer.killed) < 2 or max(killer.killed.values()) >= len(rows):
            sys.exit("the run was over before both workers were killed: name more references")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
