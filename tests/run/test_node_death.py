"""The node of Ray that a run depends on dies: Ray ends the process, and what to do is told all the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROWS = 100_000
WORDS = "the lamp came up dripping and the water was back in the old well behind the school"


def raylet_of(parent: int) -> int | None:
    """The process of Ray's node that a process has started, if it is there."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text("utf-8").partition("(")[2].rpartition(")")
        except OSError:
            continue
        if name == "raylet" and int(rest.split()[1]) == parent:
            return int(path.parent.name)
    return None


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="this system does not list processes in /proc"
)
def test_the_node_dies(tmp_path: Path) -> None:
    rows, output = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    with rows.open("w", encoding="utf-8") as stream:
        for number in range(ROWS):
            text = f"{number} {WORDS}"
            stream.write(json.dumps({"id": str(number), "candidate": text, "reference": text[::-1]}) + "\n")
    command = ["score", str(rows), "--metric", "rougeL", "-o", str(output)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    process = subprocess.Popen(
        [sys.executable, "-m", "mars_score", *command, "--engine", "ray", "--workers", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment,
    )  # fmt: skip
    while not output.exists() or not output.stat().st_size:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    node = raylet_of(process.pid)
    assert node is not None
    os.kill(node, signal.SIGKILL)
    _, err = process.communicate(timeout=180)
    assert process.returncode in (1, 2), err  # 2 where Ray leaves it to us
    assert "Traceback" not in err
    assert "error: " in err
    assert "remedy: start Ray again, and run the same command again" in err
    assert f"to resume: mars-score score {rows}" in err
    kept = output.read_text("utf-8").count("\n")
    assert 0 < kept < ROWS
    done = subprocess.run(
        [sys.executable, "-m", "mars_score", *command],
        capture_output=True, encoding="utf-8", env=environment, check=True,
    )  # fmt: skip
    assert f"resuming after {kept} of {ROWS:,} rows" in done.stderr
    ids = [json.loads(line)["id"] for line in output.read_text("utf-8").splitlines()]
    assert ids == [str(number) for number in range(ROWS)]
