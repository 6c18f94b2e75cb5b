"""The command with real models: what comes from workers, some of them killed, is what comes from this process."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from mars_score.cli import running
from mars_score.cli.main import run
from mars_score.study import scoring

ON_RAY = ("--engine", "ray", "--workers", "2")


def command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["mars-score", *arguments])
    run()  # would exit with a code if anything were wrong


class Killer(threading.Thread):
    """Kills -9 a worker at work once some rows are written."""

    def __init__(self, output: Path) -> None:
        super().__init__()
        self.output = output
        self.rows_by_then: int | None = None
        self.stopped = threading.Event()

    def run(self) -> None:
        """Wait for a row, then for a worker at work."""
        while not self.stopped.wait(0.02):
            if self.rows() and (pid := worker_at_work()):
                os.kill(pid, signal.SIGKILL)
                self.rows_by_then = self.rows()
                return

    def rows(self) -> int:
        """Rows that are written."""
        return self.output.read_text(encoding="utf-8").count("\n") if self.output.exists() else 0


def worker_at_work() -> int | None:
    """The process of a worker that this process has started and that does a batch now."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        pid = int(path.parent.name)
        try:
            title = path.read_text(encoding="utf-8")
            if title.startswith("ray::") and "_Actor.do" in title and os.getpid() in ancestors(pid):
                return pid
        except OSError:
            continue
    return None


def ancestors(pid: int) -> list[int]:
    pids = []
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
        pids.append(pid)
    return pids


def test_scores_are_equal_to_the_last_byte_though_a_worker_is_killed(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    common = ("score", str(rows), "--preset", "qa", "--metric", "mars,bertscore,rougeL", "--no-cache")
    command(monkeypatch, *common, "-o", str(here))
    monkeypatch.setattr(running, "SHARE", 1)  # twelve batches
    killer = Killer(there)
    killer.start()
    try:
        command(monkeypatch, *common, "-o", str(there), *ON_RAY)
    finally:
        killer.stopped.set()
        killer.join()
    output = capfd.readouterr()
    assert output.out == "", "standard output is for rows"
    assert "raylet" not in output.err
    assert here.read_bytes() == there.read_bytes()
    assert here.read_bytes().count(b"\n") == 12
    assert killer.rows_by_then is not None
    assert killer.rows_by_then < 12


def test_a_study_is_equal_too(rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rated = tmp_path / "rated.jsonl"
    lines = rows.read_text(encoding="utf-8").splitlines()
    rated.write_text(
        "".join(f'{line[:-1]}, "human": {index % 5}}}\n' for index, line in enumerate(lines)),
        encoding="utf-8",
    )
    monkeypatch.setattr(scoring, "CHUNK", 5)
    kept = {}
    for name, engine in (("here", ()), ("there", ON_RAY)):
        command(
            monkeypatch, "study", str(rated), "--metrics", "rougeL,chrf,bleu4", "--attacks", "reorder,truncation",
            "--draws", "20", "--no-report", "--out", str(tmp_path / name), *engine,
        )  # fmt: skip
        kept[name] = scores(tmp_path / name / "scores.sqlite")
    assert kept["here"] == kept["there"]
    assert len(kept["here"]) > 3 * 12


def scores(file: Path) -> list[object]:
    """All but the seconds that were measured."""
    with closing(sqlite3.connect(file)) as db:
        return db.execute("SELECT key, score, flags FROM scores ORDER BY key").fetchall()


def test_nobody_at_the_address(
    rows: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mars-score", "score", str(rows), "--metric", "rougeL", "--engine", "ray",
                                      "--address", "127.0.0.1:1"])  # fmt: skip
    with pytest.raises(SystemExit) as end:
        run()
    assert end.value.code == 2
    assert "no Ray cluster at 127.0.0.1:1" in capsys.readouterr().err
