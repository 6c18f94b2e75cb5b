"""Correlations of two vectors."""

from __future__ import annotations

from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from mars_score.errors import ConfigError, InputError
from mars_score.stats.correlation import KINDS, Correlation, Kind, correlation

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}

small = st.integers(-5, 5).map(float)
vectors = st.lists(st.tuples(small, small), min_size=2, max_size=30)


@pytest.mark.parametrize(
    ("kind", "expected"),
    # The six-number vectors of mt-metrics-eval's tests; Spearman's by hand: ranks 2 1 5 3.5 3.5 6.
    [("pearson", 0.776), ("kendall", 0.552), ("spearman", 0.754)],
)
def test_known_values(kind: Kind, expected: float) -> None:
    result = correlation([2, 1, 4, 3, 3, 7], [1, 2, 3, 4, 5, 6], kind)
    assert result.value == pytest.approx(expected, abs=5e-4)
    assert (result.n, result.left_out, result.reason) == (6, 0, None)


@pytest.mark.parametrize("kind", KINDS)
@given(pairs=vectors)
@settings(max_examples=60, deadline=None)
def test_as_in_scipy(kind: Kind, pairs: list[tuple[float, float]]) -> None:
    x, y = ([pair[side] for pair in pairs] for side in (0, 1))
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert correlation(x, y, kind).value == pytest.approx(SCIPY[kind](x, y).statistic, abs=1e-12)


@given(pairs=vectors)
@settings(max_examples=60, deadline=None)
def test_kendall_by_counting_pairs(pairs: list[tuple[float, float]]) -> None:
    agree = untied_x = untied_y = 0
    for (x1, y1), (x2, y2) in combinations(pairs, 2):
        agree += int(np.sign(x1 - x2) * np.sign(y1 - y2))
        untied_x += x1 != x2
        untied_y += y1 != y2
    assume(untied_x and untied_y)
    result = correlation([x for x, _ in pairs], [y for _, y in pairs], "kendall")
    assert result.value == pytest.approx(agree / sqrt(untied_x * untied_y))


@pytest.mark.parametrize("kind", KINDS)
@given(pairs=st.lists(st.tuples(small, small, st.booleans()), min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_missing_scores_are_left_out_and_counted(kind: Kind, pairs: list[tuple[float, float, bool]]) -> None:
    holes = (None, float("nan"), float("inf"))
    x = [value if kept else holes[at % 3] for at, (value, _, kept) in enumerate(pairs)]
    y = [value for _, value, _ in pairs]
    kept = [(a, b) for a, b, keep in pairs if keep]
    alone = correlation([a for a, _ in kept], [b for _, b in kept], kind)
    expected = Correlation(alone.value, len(kept), len(pairs) - len(kept), alone.reason)
    assert correlation(x, y, kind) == expected
    if expected.value is not None:
        assert correlation(y, x, kind).value == pytest.approx(expected.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "too_short"),
        ([1.0], [2.0], "too_short"),
        ([1.0, None, 3.0], [None, 2.0, 3.0], "too_short"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "metric_constant"),
        ([1.0, 2.0, 3.0], [4.0, 4.0, 4.0], "human_constant"),
        ([0.0, 0.0], [0.0, 0.0], "both_constant"),
        ([0.3, 0.1 + 0.2, 0.3], [1.0, 2.0, 3.0], "metric_constant"),  # equal but for rounding
        ([1.0, 1.0, 2.0], [1.0, 2.0, None], "metric_constant"),  # constant on the rows that are left
    ],
)
def test_undefined_says_why(kind: Kind, x: list[float | None], y: list[float | None], reason: str) -> None:
    result = correlation(x, y, kind)
    assert result.value is None
    assert result.reason == reason


@pytest.mark.parametrize("scale", [1e-170, 1e170])
def test_huge_and_tiny_scores(scale: float) -> None:
    x, y = np.array([2.0, 1, 4, 3, 3, 7]), np.arange(6.0)
    assert correlation(x * scale, y).value == pytest.approx(correlation(x, y).value)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ConfigError, match="pearson"):
        correlation([1.0], [1.0], "pearsn")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2 metric scores and 1 human"):
        correlation([1.0, 2.0], [1.0])
