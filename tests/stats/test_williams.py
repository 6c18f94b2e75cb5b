"""Williams' test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mars_score.errors import ConfigError, InputError
from mars_score.stats.significance import compare_by_williams, williams_test


def test_worked_example() -> None:
    # Howell, Statistical Methods for Psychology (6th ed.), p. 262, as worked by B. Weaver: t(23) = 1.361, p .187.
    result = williams_test(0.80, 0.72, 0.89, 26)
    assert result.t == pytest.approx(1.361, abs=5e-4)
    assert result.p_two_sided == pytest.approx(0.187, abs=5e-4)


@given(seed=st.integers(0, 10_000), n=st.integers(4, 200))
@settings(max_examples=60, deadline=None)
def test_formula_by_a_determinant(seed: int, n: int) -> None:
    # The statistic as Steiger (1980, eq. 7) prints it, with |R| from linear algebra.
    table = np.random.default_rng(seed).normal(size=(3, 5))
    r = np.asarray(np.corrcoef(table))
    top = (r[0, 2] - r[1, 2]) * np.sqrt((n - 1) * (1 + r[0, 1]))
    bottom = 2 * (n - 1) / (n - 3) * np.linalg.det(r) + ((r[0, 2] + r[1, 2]) / 2) ** 2 * (1 - r[0, 1]) ** 3
    result = williams_test(r[0, 2], r[1, 2], r[0, 1], n)
    t = top / np.sqrt(bottom)
    assert result.t == pytest.approx(t, rel=1e-6)
    assert result.p_greater == pytest.approx(1 - stats.t.cdf(t, n - 3), abs=1e-9)
    other = williams_test(r[1, 2], r[0, 2], r[0, 1], n)
    assert other.t == pytest.approx(-t, rel=1e-6)
    assert other.p_two_sided == pytest.approx(result.p_two_sided)
    assert (result.p_greater or 0) + (other.p_greater or 0) == pytest.approx(1)


def test_from_scores_and_missing_rows() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=30)
    a, b = human + rng.normal(size=30), human + 2 * rng.normal(size=30)
    r = np.corrcoef([a, b, human])
    result = compare_by_williams(a, b, human)
    assert result.t == pytest.approx(williams_test(r[0, 2], r[1, 2], r[0, 1], 30).t)
    holed = compare_by_williams([None, *a], [1.0, *b], [2.0, *human])
    assert holed.t == pytest.approx(result.t)
    assert (holed.n, holed.left_out) == (30, 1)


def test_false_positives_and_power() -> None:
    rng = np.random.default_rng(1)
    false = result = 0
    for _ in range(1000):
        quality = rng.normal(size=60)
        human = quality + rng.normal(size=60)
        a, b, c = (quality + noise * rng.normal(size=60) for noise in (1, 1, 4))
        false += (compare_by_williams(a, b, human).p_two_sided or 1) < 0.05
        result += (compare_by_williams(a, c, human).p_greater or 1) < 0.05
    low, high = stats.binom.ppf([0.001, 0.999], 1000, 0.05)
    assert low <= false <= high
    assert result > 500


def test_undefined_says_why() -> None:
    assert williams_test(0.5, 0.4, 0.3, 3).reason == "too_short"
    assert williams_test(0.5, 0.5, 1.0, 30).reason == "collinear"
    assert williams_test(0.5, -0.5, -1.0, 30).reason == "collinear"
    human, a = [1.0, 2, 3, 4, 5], [2.0, 1, 4, 3, 5]
    assert compare_by_williams(a, [2 * v + 1 for v in a], human).reason == "collinear"
    assert compare_by_williams(a, [1.0] * 5, human).reason == "correlation_undefined"
    short = compare_by_williams(a[:3], [3.0, 1, 2], human[:3])
    assert (short.t, short.reason) == (None, "too_short")


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ConfigError, match="from -1 to 1"):
        williams_test(1.5, 0.2, 0.1, 30)
    with pytest.raises(InputError, match="2, 1 and 2"):
        compare_by_williams([1.0, 2.0], [1.0], [1.0, 2.0])
