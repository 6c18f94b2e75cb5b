"""Eight processes score the same file with one cold cache: each reference is augmented about once.

    python -m benchmarks.faults.eight_processes [REFERENCES]

Real models, one thread each. Three JSON lines: references augmented by all processes together, beside those that
there are; outputs that differ from the first one; and what `mars-score cache verify` finds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.faults.running import finish, run, start, write_rows
from benchmarks.texts import stories
from benchmarks.timing import report

PROCESSES, REFERENCES = 8, 24
TOLERATED = 1.1


def main(references: int = REFERENCES) -> None:
    """Start all, wait for all, compare."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            {
                "id": f"{i}",
                "candidate": "They all went home.",
                "references": [pair.reference],
                "context": pair.context,
            }
            for i, pair in enumerate(stories(references))
        ]
        write_rows(folder / "rows.jsonl", rows)
        started = time.perf_counter()
        running = [start(folder, "score", "rows.jsonl", "-o", f"{i}.jsonl") for i in range(PROCESSES)]
        ended = [finish(process) for process in running]
        seconds = time.perf_counter() - started
        failed = [process.err for process in ended if process.code]
        if failed:
            sys.exit(failed[0])
        augmented = [process.cost("references augmented") for process in ended]
        report(
            "eight_processes_augmented", sum(augmented) / references, at_most=TOLERATED,
            references=references, augmented=str(augmented), seconds=seconds,
        )  # fmt: skip
        outputs = [(folder / f"{i}.jsonl").read_bytes() for i in range(PROCESSES)]
        complete = len(outputs[0].splitlines()) == references
        differing = sum(output != outputs[0] for output in outputs)
        report("eight_processes_differing", float(differing), at_most=0, complete=complete)
        verified = run(folder, "cache", "verify")
        report(
            "eight_processes_cache_damage",
            float(verified.code),
            at_most=0,
            says=verified.out.split(" in ")[0],
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
