"""What every metric offers, what metrics share that look at one row at a time, and several metrics on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from mars_score import flags
from mars_score.errors import missing_extra
from mars_score.fingerprint import metric_signature
from mars_score.io.examples import clean_examples, refuse_without_references
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example, ResultRow

# What every metric offers: examples in, one number each out, and a signature that says how.

Input = Literal["references", "context"]
"""What a metric reads beside the candidate."""


@dataclass(frozen=True, slots=True)
class Value:
    """The score of one example."""

    score: float | None
    """None where the metric is not defined; a flag then says why."""
    flags: tuple[str, ...] = ()


class Metric(Protocol):
    """A metric, with its models at hand."""

    @property
    def name(self) -> str:
        """As on the command line and in results."""

    @property
    def higher_is_better(self) -> bool:
        """The direction."""

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What it reads beside the candidate."""

    @property
    def signature(self) -> str:
        """Equal signature and equal input mean equal score."""

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Score examples, in their order; the score of one does not depend on the others."""


# What metrics share that look at one row at a time: the loop, the flags and the head of a signature.


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
    conditions = {flags.EMPTY_CANDIDATE: blank, flags.NOTHING_COMPARABLE: not (blank or comparable)}
    return Value(score, flags.raised(conditions))


def signature(name: str, fields: dict[str, str], library: str | None = None) -> str:
    """Name the metric, its algorithm, the library that computes it, then the fields in their order."""
    return metric_signature(name, **({"lib": library} if library else {}), **fields)


# Several metrics on the same examples: equal texts for all, one row of numbers for each example.


def score_all(
    metrics: Sequence[Metric], examples: Sequence[Example], progress: StageProgress = silent_stages, *,
    strict: bool = False,
) -> list[ResultRow]:  # fmt: skip
    """Score examples with each metric, in order. With `strict`, a flagged example is an error."""
    cleaned = clean_examples(examples)
    for metric in metrics:
        if "references" in metric.inputs:
            refuse_without_references(cleaned, metric.name)
    try:
        columns = {metric.name: metric.score(cleaned, _named(metric, progress)) for metric in metrics}
    except ModuleNotFoundError as error:
        raise missing_extra(error) from error
    rows = []
    for index, (before, after) in enumerate(zip(examples, cleaned, strict=True)):
        values = {name: column[index] for name, column in columns.items()}
        raised = {flag for value in values.values() for flag in value.flags}
        raised |= {flags.CLEANED} if before != after else set()
        numbers = {name: value.score for name, value in values.items()}
        rows.append(ResultRow(before.id, numbers, tuple(sorted(raised))))
    if strict:
        flags.refuse(rows)
    return rows


def _named(metric: Metric, progress: StageProgress) -> StageProgress:
    """Progress that says which metric is at work."""

    def show(stage: str, done: int, total: int) -> None:
        progress(stage if stage == metric.name else f"{metric.name}: {stage}", done, total)

    return show


# The scores of many rows in a few numbers for each metric, gathered row by row.


class Summary:
    """Means of the metrics over the rows where they are defined."""

    def __init__(self, metrics: Sequence[str]) -> None:
        """Begin with no rows."""
        self._totals = dict.fromkeys(metrics, 0.0)
        self.defined = dict.fromkeys(metrics, 0)
        """Rows in which a metric has a number."""
        self.rows = 0

    def add(self, scores: Mapping[str, float | None]) -> None:
        """Count a row in."""
        self.rows += 1
        for metric, score in scores.items():
            if score is not None:
                self._totals[metric] += score
                self.defined[metric] += 1

    @property
    def means(self) -> dict[str, float | None]:
        """None for a metric that is defined in no row."""
        return {
            metric: self._totals[metric] / count if count else None for metric, count in self.defined.items()
        }
