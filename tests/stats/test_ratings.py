"""Summaries of ratings."""

from __future__ import annotations

import pytest

from mars_score.errors import ConfigError, InputError
from mars_score.stats.ratings import Histogram, summarise


def test_by_hand() -> None:
    result = summarise([2.0, 4.0, None, 3.0], [[1, 3], [4, None, 4], None, [3]], bins=2)
    assert (result.rows, result.scored) == (4, 3)
    assert result.mean == pytest.approx(3.0)
    assert result.deviation == pytest.approx(1.0)
    assert (result.lowest, result.highest) == (2.0, 4.0)
    assert result.histogram == Histogram((2.0, 3.0, 4.0), (1, 2))
    assert result.ratings == 5
    assert result.mean_rating == pytest.approx(3.0)
    assert result.rating_counts == ((1.0, 1), (3.0, 2), (4.0, 2))
    assert result.raters == ((0, 1), (1, 1), (2, 2))


def test_scores_without_ratings_and_nothing_at_all() -> None:
    only = summarise([1.0, 5.0], [None, None])
    assert (only.scored, only.ratings, only.mean_rating, only.rating_counts) == (2, 0, None, ())
    assert only.raters == ((0, 2),)
    result = summarise([3.0], [[3.0]])
    assert (result.mean, result.deviation) == (3.0, None)
    none = summarise([None], [[]])
    assert (none.rows, none.scored, none.mean, none.lowest, none.histogram) == (1, 0, None, None, None)
    assert summarise([], []).rows == 0


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputError, match="1 human scores and ratings of 2 rows"):
        summarise([1.0], [None, None])
    with pytest.raises(ConfigError, match="bins"):
        summarise([1.0], [None], bins=0)
