"""What a data set is like: the columns of the paper's Table 2."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from mars_score.datasets.ratings import mean
from mars_score.errors import InputError
from mars_score.masking.words import words

if TYPE_CHECKING:
    from mars_score.datasets.base import Dataset


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts and mean lengths of a data set. A length is in words, with punctuation marks as words."""

    name: str
    rows: int
    """Rated texts; the paper counts Newsroom's 540 ratings here instead."""
    items: int
    """Different pairs of context and references."""
    systems: tuple[str, ...]
    ratings: int
    """Ratings of single raters; 0 where only means are known."""
    raters: tuple[int, int]
    """The fewest and the most ratings of a row."""
    context_length: float
    """Mean over rows, the question included."""
    reference_length: float
    """Mean over rows; of several references of a row, their mean counts."""
    omega: float
    """Context length over reference length, both means: low for open-ended tasks."""


def statistics(dataset: Dataset) -> Statistics:
    """Count and measure the rows of a data set."""
    if not dataset.rows:
        raise InputError(f"{dataset.name} has no rows", remedy="load or select at least one row")
    length = lru_cache(maxsize=None)(_length)
    contexts = mean([length(row.example.context) for row in dataset])
    references = mean([mean([length(text) for text in row.example.references]) for row in dataset])
    counts = [len(row.ratings) for row in dataset]
    return Statistics(
        name=dataset.name,
        rows=len(dataset),
        items=len({row.item for row in dataset}),
        systems=dataset.systems,
        ratings=sum(counts),
        raters=(min(counts), max(counts)),
        context_length=contexts,
        reference_length=references,
        omega=contexts / references,
    )


def _length(text: str) -> int:
    return len(words(text))
