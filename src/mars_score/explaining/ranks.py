"""Where the metric and people see a candidate among the others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.explaining.explained import ExplainedItem


def share_below(value: float, ordered: Sequence[float]) -> float:
    """Return the share of sorted numbers that are lower; one that is equal counts half."""
    return (bisect_left(ordered, value) + bisect_right(ordered, value)) / (2 * len(ordered))


def rank(value: float, ordered: Sequence[float]) -> float:
    """Return the share of the other numbers that are lower; `ordered` are sorted and have this one among them."""
    return (bisect_left(ordered, value) + bisect_right(ordered, value) - 1) / (2 * (len(ordered) - 1))


def with_ranks(items: Sequence[ExplainedItem]) -> tuple[ExplainedItem, ...]:
    """Rank the candidates that people rated, by score and by rating; fewer than two have no ranks."""
    rated = [one for item in items for one in item.candidates if one.human is not None]
    if len(rated) < 2:
        return tuple(items)
    scores = sorted(one.score for one in rated)
    ratings = sorted(one.human for one in rated if one.human is not None)
    return tuple(
        replace(
            item,
            candidates=tuple(
                one
                if one.human is None
                else replace(one, score_rank=rank(one.score, scores), human_rank=rank(one.human, ratings))
                for one in item.candidates
            ),
        )
        for item in items
    )
