"""What every metric's scores cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.study.results import Cost

if TYPE_CHECKING:
    from mars_score.study.scoring import DatasetScores

ROUGE = "rougeL"
_SHORTEST = 1e-9
"""Seconds a row that a clock may fail to see."""


def costs(found: DatasetScores) -> list[Cost]:
    """Add up the time of the data set's rows; rows with equal texts were scored once.

    Models were loaded before the clock started. What a metric finds done by an earlier one of the same run
    (``mars_glove`` compares the references that ``mars`` augmented) costs it nothing.
    """
    measured = {}
    for metric in found.metrics:
        distinct = dict(zip(found.digests, found.rows[metric.name], strict=True))
        measured[metric.name] = len(distinct), sum(one.seconds for one in distinct.values())
    a_row = {name: max(seconds / rows, _SHORTEST) for name, (rows, seconds) in measured.items()}
    return [
        Cost(
            name, rows, seconds, 1 / a_row[name], a_row[name] / a_row[ROUGE] if ROUGE in a_row else None
        )
        for name, (rows, seconds) in measured.items()
    ]  # fmt: skip
