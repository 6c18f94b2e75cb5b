"""Record what the metrics compute: src/mars_score/golden.json for `doctor`, tests/golden/*.json for the tests.

    python tools/make_golden.py [NAME...]

Outputs that changed are recorded only under another signature: whoever changes what an algorithm computes raises its
number in src/mars_score/fingerprint.py first, and says in CHANGELOG.md which scores change and why. What differs by
no more than rounding stays as it was recorded. With names, only those are computed: fills, doctor, or metrics.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.golden.outputs import FILLS, SCORES, Outputs, differences, recorded, write  # noqa: E402

from mars_score.mars import golden  # noqa: E402

if TYPE_CHECKING:
    from mars_score import MarsScorer

DOCTOR = ROOT / "src" / "mars_score" / "golden.json"


def accepted(name: str, known: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return what to record; changed outputs under an unchanged signature end the program."""
    changed = differences(known, found) if known else []
    if not changed:
        return {**known, "signature": found["signature"]} if known else found
    if known["signature"] == found["signature"]:
        sys.exit(
            "\n  ".join(
                [
                    f"{name}: outputs changed, but no algorithm's number did; nothing is recorded.",
                    *changed[:5],
                    "If this is meant: raise the number in src/mars_score/fingerprint.py (ALGORITHM), say why in "
                    "CHANGELOG.md, and run this again. If not: the change is a fault.",
                ]
            )
        )
    print(f"{name}: {len(changed)} outputs changed; now under {found['signature']}")
    return found


def doctor_record(scorer: MarsScorer) -> dict[str, Any]:
    """The golden scores of `mars-score doctor`, in the form of the other records."""
    items = [golden.record(item) for item in scorer.score_examples(golden.EXAMPLES)]
    return {"signature": scorer.signature, "items": items}


def main(wanted: list[str]) -> None:
    """Compute, compare, and write all that is accepted, or nothing."""
    outputs = Outputs()
    known = recorded(SCORES)
    new: dict[Path, dict[str, Any]] = {}
    if not wanted or "fills" in wanted:
        new[FILLS] = accepted("fills", recorded(FILLS), outputs.fills())
    scores = {
        name: accepted(name, known.get(name, {}), outputs.scores(name))
        if not wanted or name in wanted
        else known[name]
        for name in outputs.names
    }
    new[SCORES] = scores
    if not wanted or "doctor" in wanted:
        found, before = doctor_record(outputs.scorer), recorded(DOCTOR)
        accepted("doctor", _as_scores(before), _as_scores(found))
        same = not differences(_as_scores(before), _as_scores(found))
        items = before["items"] if same else found["items"]
        DOCTOR.write_text(
            json.dumps({"signature": found["signature"], "items": items}, indent=2) + "\n", "utf-8"
        )
    for path, record in new.items():
        write(path, record)
        print(f"wrote {path.relative_to(ROOT)}")


def _as_scores(record: dict[str, Any]) -> dict[str, Any]:
    scores = {item["id"]: [item["score"], *item["augmented"]] for item in record["items"]}
    return {"signature": record["signature"], "scores": scores}


if __name__ == "__main__":
    main(sys.argv[1:])
