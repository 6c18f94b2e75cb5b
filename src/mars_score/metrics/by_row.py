"""What metrics share that look at one row at a time: the loop, the flags and the head of a signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.fingerprint import metric_signature
from mars_score.metrics.base import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mars_score.progress import StageProgress
    from mars_score.types import Example


def score_rows(
    name: str, examples: Sequence[Example], value: Callable[[Example], Value], progress: StageProgress
) -> list[Value]:
    """Score each row by itself, in order; the metric's name is the stage."""
    values = []
    for done, example in enumerate(examples, 1):
        values.append(value(example))
        progress(name, done, len(examples))
    return values


def flagged(score: float, example: Example, *, comparable: bool = True) -> Value:
    """Return a score with what is to be said of it; a blank candidate is not called incomparable as well."""
    blank = not example.candidate.strip()
    told = {flags.EMPTY_CANDIDATE: blank, flags.NOTHING_COMPARABLE: not (blank or comparable)}
    return Value(score, flags.raised(told))


def signature(name: str, fields: dict[str, str], library: str | None = None) -> str:
    """Name the metric, its algorithm, the library that computes it, then the fields in their order."""
    return metric_signature(name, **({"lib": library} if library else {}), **fields)
