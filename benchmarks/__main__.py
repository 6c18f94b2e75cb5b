"""`make bench`: every benchmark that needs nothing but the default models, or those that are named.

python -m benchmarks [NAME ...]

What they report is printed and kept in benchmarks/results.json, with the machine and the day; a name that ran before
is replaced. README.md and docs/performance.md take their figures from there: python tools/figures.py.
"""

from __future__ import annotations

import datetime
import importlib
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import torch

from benchmarks.timing import RESULTS

FILE = Path(__file__).with_name("results.json")
BENCHMARKS = {
    "starting": "2 minutes",
    "second_system": "1 minute",
    "rescore_vs_bertscore": "2 minutes",
    "encoding": "3 minutes",
    "adjusting": "2 minutes",
    "reading_vs_plain": "1 minute",
    "half_precision": "2 minutes",
    "llamacpp": "3 minutes, and 10 the first time",
    "against_greedy": "5 minutes",
    "against_plain": "7 minutes",
    "growth": "10 minutes",
    "against_row_by_row": "12 minutes",
    "ray_scaling": "5 minutes",
    "serving": "3 minutes",
}
"""With the time that each takes on two cores. `metric_costs` is for docs/metrics.md, and run on its own."""


def main(names: list[str]) -> None:
    """Run benchmarks one after the other; their JSON lines go to standard output, all else to standard error."""
    known = {*BENCHMARKS, "metric_costs"}
    unknown = set(names) - known
    if unknown:
        sys.exit(f"unknown benchmark {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    for name in names or BENCHMARKS:
        print(f"== {name} (about {BENCHMARKS.get(name, '8 minutes')})", file=sys.stderr, flush=True)
        start = len(RESULTS)
        importlib.import_module(f"benchmarks.{name}").main()
        keep(RESULTS[start:])


def keep(lines: list[dict[str, Any]]) -> None:
    """Put lines into the file of results, in place of those of the same name."""
    known: dict[str, Any] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    for line in lines:
        known[line["name"]] = {**line, "date": str(datetime.date.today()), "machine": machine()}
    FILE.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def machine() -> str:
    """The processor, as far as speed goes, and how much of it torch uses."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        model = next(
            (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model
        )
    capability, threads = torch.backends.cpu.get_cpu_capability(), torch.get_num_threads()
    used = f"{threads} thread{'s' * (threads > 1)} of {os.cpu_count()} cores"
    return f"{model}, {used}, {capability}, torch {torch.__version__.partition('+')[0]}"


if __name__ == "__main__":
    main(sys.argv[1:])
