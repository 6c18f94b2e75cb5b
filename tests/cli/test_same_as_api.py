"""The command line and the API give the same numbers to the last bit, on the real models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from mars_score.mars import golden

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.mars.scorer import MarsScorer


def test_same_scores_and_signature(tmp_path: Path, scorer: MarsScorer) -> None:
    rows = [
        {"id": e.id, "candidate": e.candidate, "references": e.references, "context": e.context}
        for e in golden.EXAMPLES
    ]
    given, out = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    given.write_text("".join(json.dumps(row) + "\n" for row in rows[::-1]), encoding="utf-8")
    command = [sys.executable, "-m", "mars_score", "score", str(given), "-o", str(out)]
    subprocess.run(command, check=True, env=os.environ, capture_output=True)
    results = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    result = scorer.score_examples(golden.EXAMPLES)
    assert [row["scores"]["mars"] for row in results] == result.scores[::-1]
    assert [row["id"] for row in results] == [item.id for item in result][::-1]
    sidecar = json.loads((tmp_path / "scores.jsonl.signatures.json").read_text("utf-8"))
    assert sidecar["signatures"]["mars"] == result.signature
