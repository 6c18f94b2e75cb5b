"""Memory does not grow with the file: a million rows against ten thousand, with a pack of a thousand references.

    python -m benchmarks.faults.million_rows [ROWS]

The models are toys: it is the plumbing that is measured. The peak of the resident memory is that of the process of
`mars-score score --pack`, as the system tells it. A quarter of an hour a million rows, on one core.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.faults.running import TOYS, run, write_rows
from benchmarks.timing import report

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW, MANY, REFERENCES = 10_000, 1_000_000, 1000
FORMATS = ("jsonl", "csv")
BOUND = 1.1


def main(many: int = MANY) -> None:
    """Print how much more memory many rows take than few."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder / "few.jsonl", _rows(FEW))
        made = run(folder, "augment", "few.jsonl", "-o", "refs.marspack", module=TOYS)
        if made.code:
            sys.exit(made.err)
        write_rows(folder / "many.jsonl", _rows(many))
        for form in FORMATS:
            peaks = {}
            for rows, count in (("few", FEW), ("many", many)):
                output = f"{rows}-scores.{form}"
                ended = run(
                    folder, "score", f"{rows}.jsonl", "--pack", "refs.marspack", "-o", output, module=TOYS
                )
                if ended.code:
                    sys.exit(ended.err)
                with (folder / output).open(encoding="utf-8") as stream:
                    written = sum(1 for _ in stream) - (form == "csv")
                if written != count:
                    sys.exit(f"{output} has {written} rows, not {count}")
                peaks[rows] = ended.peak
                (folder / output).unlink()
            report(
                f"memory_of_many_rows_{form}", peaks["many"] / peaks["few"], at_most=BOUND,
                few=FEW, many=many, references=REFERENCES,
                megabytes_few=peaks["few"] / 2**20, megabytes_many=peaks["many"] / 2**20,
            )  # fmt: skip


def _rows(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        reference = number % REFERENCES
        yield {
            "id": f"row-{number}",
            "context": f"It was the morning of day {reference}, and the harbour was still asleep under the fog.",
            "reference": f"The fishermen of boat {reference} came back at noon with their nets full of herring.",
            "candidate": f"Boat number {number} returned before the storm, and everybody on the quay was glad of it.",
        }


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
