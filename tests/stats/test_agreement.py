"""Krippendorff's alpha."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mars_score.errors import ConfigError
from mars_score.stats.ratings import MEASUREMENTS, Measurement, krippendorff_alpha

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = [list(unit) for unit in zip(*OBSERVERS, strict=True)]

units_of_ratings = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 5).map(float)), min_size=3, max_size=3),
    min_size=1,
    max_size=8,
)


def plain(units: list[list[float | None]], measurement: Measurement) -> float | None:
    """All pairs of ratings, as the definition has it."""
    kept = [[r for r in unit if r is not None] for unit in units]
    kept = [unit for unit in kept if len(unit) > 1]
    every = [r for unit in kept for r in unit]

    def delta(a: float, b: float) -> float:
        if measurement == "nominal":
            return float(a != b)
        if measurement == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = sum(low <= r <= high for r in every)
        return (between - (every.count(a) + every.count(b)) / 2) ** 2

    observed = sum(
        delta(a, b) / (len(unit) - 1)
        for unit in kept
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    expected = sum(delta(a, b) for i, a in enumerate(every) for j, b in enumerate(every) if i != j)
    return 1 - observed / (expected / (len(every) - 1)) if expected else None


@pytest.mark.parametrize(
    ("measurement", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_worked_example(measurement: Measurement, expected: float) -> None:
    result = krippendorff_alpha(UNITS, measurement)
    assert result.value == pytest.approx(expected, abs=5e-4)
    assert (result.units, result.ratings, result.left_out) == (11, 40, 1)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
@given(units=units_of_ratings)
@settings(max_examples=60, deadline=None)
def test_by_all_pairs(measurement: Measurement, units: list[list[float | None]]) -> None:
    result = krippendorff_alpha(units, measurement)
    expected = plain(units, measurement)
    if expected is None:
        assert result.value is None
        assert result.reason in ("no_pair", "constant")
    else:
        assert result.value == pytest.approx(expected)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
@given(units=units_of_ratings)
@settings(max_examples=60, deadline=None)
def test_as_in_the_package(measurement: Measurement, units: list[list[float | None]]) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    mine = krippendorff_alpha(units, measurement).value
    assume(mine is not None)
    by_rater = np.array(units, dtype=float).T
    # The package keeps the ratings of units with one rating in its list of values; they carry no weight there.
    theirs = krippendorff.alpha(reliability_data=by_rater, level_of_measurement=measurement)
    assert mine == pytest.approx(theirs)


def test_raters_and_their_number_do_not_matter() -> None:
    shuffled = [[unit[i] for i in np.random.default_rng(at).permutation(4)] for at, unit in enumerate(UNITS)]
    ragged = [[r for r in unit if r is not None] or None for unit in UNITS]
    for units in (shuffled, ragged):
        assert krippendorff_alpha(units).value == pytest.approx(krippendorff_alpha(UNITS).value)


def test_chance_is_zero_and_agreement_one() -> None:
    rng = np.random.default_rng(0)
    chance = krippendorff_alpha(rng.integers(1, 6, size=(3000, 3)).tolist())
    assert chance.value == pytest.approx(0, abs=0.05)
    assert krippendorff_alpha([[1, 1], [2, 2], [3, 3]]).value == 1.0
    # Two raters of two units who always differ.
    assert krippendorff_alpha([[1, 2], [2, 1]], "nominal").value == pytest.approx(-0.5)


def test_undefined_says_why() -> None:
    assert krippendorff_alpha([]).reason == "no_pair"
    assert krippendorff_alpha([[1.0], None, [None, 2.0]]).reason == "no_pair"
    result = krippendorff_alpha([[3.0, 3.0], [3.0, 3.0], [1.0]])
    assert (result.value, result.reason, result.units, result.left_out) == (None, "constant", 2, 1)
    with pytest.raises(ConfigError, match="Did you mean 'ordinal'"):
        krippendorff_alpha(UNITS, "ordnal")  # type: ignore[arg-type]
