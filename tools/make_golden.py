"""Write src/mars_score/golden.json: run this when a change is meant to change scores, and say so in the log.

python tools/make_golden.py
"""

from __future__ import annotations

import json
from pathlib import Path

from mars_score import MarsScorer, golden

if __name__ == "__main__":
    scorer = MarsScorer(cache=None)
    items = [golden.record(item) for item in scorer.score_examples(golden.EXAMPLES)]
    path = Path(__file__).parents[1] / "src" / "mars_score" / "golden.json"
    path.write_text(json.dumps({"signature": scorer.signature, "items": items}, indent=2) + "\n", "utf-8")
    print(path.read_text("utf-8"))
