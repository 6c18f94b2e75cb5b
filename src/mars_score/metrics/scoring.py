"""Several metrics on the same examples: equal texts for all, one row of numbers for each example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.examples import clean_examples
from mars_score.progress import StageProgress, silent_stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.metrics.base import Metric
    from mars_score.types import Example


@dataclass(frozen=True, slots=True)
class Scores:
    """The numbers of one example."""

    id: str
    scores: dict[str, float | None]
    """By metric; None where a metric is not defined."""
    flags: tuple[str, ...]
    """Of all metrics together."""


def score_all(
    metrics: Sequence[Metric], examples: Sequence[Example], progress: StageProgress = silent_stages, *,
    strict: bool = False,
) -> list[Scores]:  # fmt: skip
    """Score examples with each metric, in order. With `strict`, a flagged example is an error."""
    cleaned = clean_examples(examples)
    columns = {metric.name: metric.score(cleaned, _named(metric, progress)) for metric in metrics}
    rows = []
    for index, (before, after) in enumerate(zip(examples, cleaned, strict=True)):
        values = {name: column[index] for name, column in columns.items()}
        raised = {flag for value in values.values() for flag in value.flags}
        raised |= {flags.CLEANED} if before != after else set()
        numbers = {name: value.score for name, value in values.items()}
        rows.append(Scores(before.id, numbers, tuple(sorted(raised))))
    if strict:
        flags.refuse(rows)
    return rows


def _named(metric: Metric, progress: StageProgress) -> StageProgress:
    """Progress that says which metric is at work."""

    def show(stage: str, done: int, total: int) -> None:
        progress(stage if stage == metric.name else f"{metric.name}: {stage}", done, total)

    return show
