"""Corrections for many tests."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.errors import ConfigError
from mars_score.stats.significance import benjamini_hochberg, holm

if TYPE_CHECKING:
    from random import Random

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=7)


def test_known_values() -> None:
    # By hand: 0.005 x 4, 0.01 x 3, then 0.03 x 2, and 0.04 x 1 is raised to the one before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    # Benjamini and Hochberg (1995), section 3.2: fifteen tests, at 0.05 theirs finds four and Bonferroni three.
    fifteen = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719]
    fifteen += [0.6528, 0.7590, 1.0]
    assert sum(p is not None and p <= 0.05 for p in benjamini_hochberg(fifteen)) == 4
    assert sum(p is not None and p <= 0.05 for p in holm(fifteen)) == 3


@given(p_lists)
@settings(deadline=None)
def test_holm_is_closed_testing_with_bonferroni(p_values: list[float]) -> None:
    # A hypothesis falls when every set of hypotheses that holds it falls by Bonferroni.
    n = len(p_values)
    for at, corrected in enumerate(holm(p_values)):
        sets = [s for size in range(1, n + 1) for s in combinations(range(n), size) if at in s]
        worst = max(min(1.0, len(s) * min(p_values[i] for i in s)) for s in sets)
        assert corrected == pytest.approx(worst)


@given(p_lists)
@settings(deadline=None)
def test_benjamini_hochberg_by_its_steps(p_values: list[float]) -> None:
    n = len(p_values)
    corrected = benjamini_hochberg(p_values)
    for alpha in (0.01, 0.05, 0.2, 0.6):
        ranked = sorted(p_values)
        passing = [k for k in range(1, n + 1) if ranked[k - 1] <= k / n * alpha * (1 - 1e-9)]
        limit = ranked[max(passing) - 1] if passing else -1.0
        for p, after in zip(p_values, corrected, strict=True):
            assert after is not None
            if p <= limit:
                assert after <= alpha
        result = sum(after is not None and after <= alpha * (1 - 1e-6) for after in corrected)
        assert result <= sum(p <= limit for p in p_values)


@given(p_lists, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_tests_without_outcome_are_not_counted(p_values: list[float], random: Random) -> None:
    with_none: list[float | None] = [*p_values, None]
    random.shuffle(with_none)
    for correct in (holm, benjamini_hochberg):
        alone = dict(zip(p_values, correct(p_values), strict=True))
        expected = [None if p is None else alone[p] for p in with_none]
        assert correct(with_none) == pytest.approx(expected)


def test_no_tests_and_wrong_ones() -> None:
    assert holm([]) == []
    assert benjamini_hochberg([None]) == [None]
    for wrong in (1.5, -0.1, float("nan")):
        with pytest.raises(ConfigError, match="p-value"):
            holm([0.5, wrong])
