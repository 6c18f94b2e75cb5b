"""How everything here is timed: alternately in one process, and reported as a ratio beside its goal."""

from __future__ import annotations

import json
import statistics
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROUNDS = 3
RESULTS: list[dict[str, Any]] = []
"""What was reported so far."""


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternately(
    works: Mapping[str, Callable[[], object]], rounds: int = ROUNDS, *, warm_up: bool = True
) -> dict[str, float]:
    """Median seconds of each work; they take turns, so that a slow minute of the machine meets all of them."""
    if warm_up:
        for work in works.values():
            work()
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            seconds[name].append(timed(work))
    return {name: statistics.median(times) for name, times in seconds.items()}


def report(
    name: str, ratio: float, *, at_least: float | None = None, at_most: float | None = None, **facts: Any
) -> None:
    """Print one JSON line: the ratio, its goal, and whether it holds; where there is no goal, both are null.

    `RESULTS` remembers it, for whoever runs several benchmarks.
    """
    goal, holds = None, None
    if at_least is not None:
        goal, holds = f">= {at_least:g}", ratio >= at_least
    elif at_most is not None:
        goal, holds = f"<= {at_most:g}", ratio <= at_most
    line = _rounded({"name": name, "ratio": ratio, "goal": goal, "holds": holds, **facts})
    RESULTS.append(line)
    print(json.dumps(line), flush=True)


def _rounded(value: Any) -> Any:
    """Floats to three places, wherever they stand."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return round(value, 3) if isinstance(value, float) else value
