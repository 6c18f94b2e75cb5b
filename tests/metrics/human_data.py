"""Rows of the data sets of human judgements, where they are at hand."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mars_score.io.readers import read_examples

if TYPE_CHECKING:
    from mars_score.metrics.base import Metric, Value
    from mars_score.types import Example

DATA = Path(__file__).parents[2].parent / "shared" / "data"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data sets in {DATA}")


def rows(*counts: tuple[str, int]) -> list[Example]:
    """Return the first rows of some data sets."""
    return [row for name, count in counts for row in islice(read_examples(DATA / f"{name}.jsonl"), count)]


def number(value: Value) -> float:
    """Return the score of a row that must have one."""
    assert value.score is not None
    return value.score


def numbers(metric: Metric, examples: list[Example]) -> list[float]:
    """Return the scores of rows that must have one."""
    return [number(value) for value in metric.score(examples)]
