"""Signals that end a run, sent to a real process in the middle of its work."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import environment

if TYPE_CHECKING:
    from .conftest import CommandLine

SLOW = """
import sys, time
from mars_score.cli import score
from mars_score.cli.main import run
from mars_score.metrics.sentinels import CandidateLength

class Slow(CandidateLength):
    def score(self, examples, progress):
        if examples[0].id == "10":
            print("working", flush=True)
            time.sleep(600)
        return super().score(examples, progress)

score.make_metric, score.CHUNK = lambda name, scorer: Slow(), 5
run()
"""
QUICK = "from mars_score.cli.main import run\nrun()"


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": str(n), "candidate": "so " * n, "reference": "So it is."} for n in range(count)]


def start(cli: CommandLine, *arguments: str, code: str = SLOW) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, "score", "rows.jsonl", "--metric", "candidate_length", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cli.folder, env=environment(), encoding="utf-8",
    )  # fmt: skip


def wait_for_work(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    while "working" not in (line := process.stdout.readline()):
        assert line  # the process has ended


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("output", ["out.jsonl", "out.csv", "out.parquet"])
def test_a_polite_signal(cli: CommandLine, number: signal.Signals, output: str) -> None:
    cli.put_rows("rows.jsonl", rows(20))
    with start(cli, "-o", output, "--restart") as process:
        wait_for_work(process)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    command = f"mars-score score rows.jsonl --metric candidate_length -o {output}"
    assert err == f"interrupted; the rows written so far are complete: 10 in {output}\nto resume: {command}\n"
    with start(cli, "-o", output, code=QUICK) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err.startswith(
        f"resuming after 10 of 20 rows in {output}\n20 rows, mean candidate_length 9.5000\n"
    )


def test_standard_output(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(20))
    with start(cli) as process:
        assert process.stdout is not None
        ids = [json.loads(process.stdout.readline())["id"] for _ in range(10)]
        wait_for_work(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert ids == [str(n) for n in range(10)]
    assert err.startswith("interrupted; the rows written so far are complete\nwith -o FILE, ")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_no_mercy(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(20))
    with start(cli, "-o", "out.jsonl") as process:
        wait_for_work(process)
        process.kill()
        process.communicate(timeout=60)
    left = Path("out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in left] == [str(n) for n in range(10)]
    with start(cli, "-o", "out.jsonl", code=QUICK) as process:
        process.communicate(timeout=60)
    assert process.returncode == 0
    results = [json.loads(line)["id"] for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert results == [str(n) for n in range(20)]
