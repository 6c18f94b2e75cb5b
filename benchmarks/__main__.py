"""`make bench`: every benchmark that needs nothing but the default models, or those that are named.

python -m benchmarks [adjusting against_greedy against_plain against_row_by_row growth metric_costs ray_scaling
                      rescore_vs_bertscore second_system serving]
"""

from __future__ import annotations

import importlib
import sys

BENCHMARKS = {
    "second_system": "1 minute",
    "rescore_vs_bertscore": "2 minutes",
    "adjusting": "3 minutes",
    "metric_costs": "8 minutes",
    "against_greedy": "12 minutes",
    "against_plain": "10 minutes",
    "growth": "15 minutes",
    "against_row_by_row": "25 minutes",
    "ray_scaling": "9 minutes",
    "serving": "3 minutes",
}
"""With the time that each takes on two cores."""


def main(names: list[str]) -> None:
    """Run benchmarks one after the other; their JSON lines go to standard output, all else to standard error."""
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.exit(f"unknown benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    for name in names or BENCHMARKS:
        print(f"== {name} (about {BENCHMARKS[name]})", file=sys.stderr, flush=True)
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
