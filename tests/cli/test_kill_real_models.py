"""`kill -9` in the middle of work with the real models, and the same command again.

`benchmarks/faults/kill_and_resume` does so at random moments and with many more rows.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mars_score.io.readers import read_examples

from .conftest import environment

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer

    from .conftest import CommandLine

ONE_BY_ONE = """
from mars_score.cli import augment, score
from mars_score.cli.main import run
augment.CHUNK = score.CHUNK = 1
run()
"""
ROWS = [
    {"id": "ferry", "context": "The ferry left at six. Mara was still on the bus.", "candidate": "She missed the boat.",
     "reference": "Mara missed the ferry because a tree had fallen on the road."},
    {"id": "bread", "context": "The oven was cold in the morning.", "candidate": "There was no bread at noon.",
     "reference": "The baker opened three hours late and sold no rolls."},
    {"id": "kite", "context": "The wind came up after lunch.", "candidate": "They flew a kite.",
     "reference": "The children took the red kite to the long beach."},
]  # fmt: skip


def start(cli: CommandLine, command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ONE_BY_ONE, command, "rows.jsonl", "--no-cache", "-o", "out.jsonl"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=cli.folder, env=environment(), encoding="utf-8",
    )  # fmt: skip


def written() -> list[Any]:
    return [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("command", ["augment", "score"])
def test_killed_between_rows(cli: CommandLine, scorer: MarsScorer, command: str) -> None:
    cli.put_rows("rows.jsonl", ROWS)
    with start(cli, command) as process:
        while not Path("out.jsonl").exists() or not Path("out.jsonl").stat().st_size:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.kill()
        process.communicate()
    kept = len(written())
    assert 0 < kept < len(ROWS)
    with start(cli, command) as process:
        _, err = process.communicate()
    assert process.returncode == 0, err
    assert f"resuming after {kept} of {len(ROWS)} " in err
    examples = list(read_examples("rows.jsonl"))
    if command == "score":
        expected = {item.id: item.score for item in scorer.score_examples(examples).items}
        assert [row["id"] for row in written()] == [row["id"] for row in ROWS]
        # One by one and all together are the same to the last bit.
        assert {row["id"]: row["scores"]["mars"] for row in written()} == expected
        return
    result = scorer.augment_examples(examples)
    texts = [[term.text for term in result[example.pairs[0]].augmented] for example in examples]
    assert [[term["text"] for term in row["augmented"]] for row in written()] == texts
