"""The levels of correlation."""

from __future__ import annotations

import numpy as np
import pytest

from mars_score.errors import ConfigError, InputError
from mars_score.stats.correlation import KINDS, LEVELS, Kind, Level, correlate, correlation
from mars_score.stats.data import only_system, scored
from tests.stats.simulated import judged, shuffled, untidy

# Two systems with three items each: the goldens of mt-metrics-eval's tests.
SIX = scored(
    [2, 1, 4, 3, 3, 7], [1, 2, 3, 4, 5, 6], ["a", "b", "c", "a", "b", "c"], ["x", "x", "x", "y", "y", "y"]
)


@pytest.mark.parametrize(
    ("level", "kind", "expected"),
    [
        ("pooled", "pearson", 0.776),
        ("system", "pearson", 0.760),
        ("item", "pearson", 1.0),
        ("pooled", "kendall", 0.552),
        ("system", "kendall", 0.575),
        ("item", "kendall", 1.0),
        ("system_means", "pearson", 1.0),
    ],
)
def test_known_values(level: Level, kind: Kind, expected: float) -> None:
    assert correlate(SIX, level, kind).value == pytest.approx(expected, abs=5e-4)


def test_each_group_has_its_name() -> None:
    result = correlate(SIX, "system")
    assert [group.name for group in result.groups] == ["x", "y"]
    assert result.groups[0].correlation == correlation([2, 1, 4], [1, 2, 3])
    assert result.groups[1].correlation == correlation([3, 3, 7], [4, 5, 6])
    assert result.n == 2
    alone = correlate(only_system(SIX, "y"))
    assert alone.value == result.groups[1].correlation.value
    with pytest.raises(ConfigError, match="unknown system 'z'"):
        only_system(SIX, "z")


@pytest.mark.parametrize("kind", KINDS)
def test_levels_by_hand_on_untidy_rows(kind: Kind) -> None:
    rows = untidy(np.random.default_rng(3), 60)
    usable = [
        (m, h, i, s)
        for m, h, i, s in zip(rows.metric, rows.human, rows.items, rows.systems, strict=True)
        if not np.isnan(m) and not np.isnan(h)
    ]
    assert 0 < rows.left_out == 60 - len(usable)
    columns: tuple[tuple[Level, int], ...] = (("system", 3), ("item", 2))
    for level, column in columns:
        values = []
        for code in sorted({row[column] for row in usable}):
            group = [row for row in usable if row[column] == code]
            values.append(correlation([r[0] for r in group], [r[1] for r in group], kind).value)
        defined = [value for value in values if value is not None]
        result = correlate(rows, level, kind)
        assert result.value == pytest.approx(sum(defined) / len(defined))
        assert result.n == len(defined)
        assert result.left_out == rows.left_out
    means = [
        [np.mean([row[side] for row in usable if row[3] == code]) for code in range(4)] for side in (0, 1)
    ]
    result = correlate(rows, "system_means", kind)
    assert result.value == pytest.approx(correlation(means[0], means[1], kind).value)
    assert result.n == 4


def test_undefined_groups_are_counted_and_named() -> None:
    rows = scored(
        [1, 2, 5, 5, 3, 1, 2],
        [1, 2, 1, 2, 1, 4, 4],
        ["good", "good", "flat", "flat", "alone", "liked", "liked"],
        ["x", "y", "x", "y", "x", "x", "y"],
    )
    result = correlate(rows, "item", "kendall")
    assert result.value == 1.0
    assert result.n == 1
    assert result.undefined == {"human_constant": 1, "metric_constant": 1, "too_short": 1}
    named = {group.name: group.correlation.reason for group in result.groups}
    assert named == {
        "good": None,
        "flat": "metric_constant",
        "alone": "too_short",
        "liked": "human_constant",
    }


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_defined(level: Level) -> None:
    rows = scored([1, 1], [1, 2], ["a", "a"], ["x", "x"])
    result = correlate(rows, level)
    assert result.value is None
    assert result.reason is not None
    empty = correlate(scored([], [], [], []), level)
    assert (empty.value, empty.n) == (None, 0)
    assert empty.reason is not None


def test_system_identity_helps_only_where_systems_are_pooled() -> None:
    # A metric that knows the system and nothing else.
    items = [f"{i}" for i in range(20) for _ in range(2)]
    systems = ["bad", "good"] * 20
    rng = np.random.default_rng(0)
    human = np.array([1.0, 5.0] * 20) + rng.normal(size=40)
    rows = scored([float(system == "good") for system in systems], human, items, systems)
    pooled = correlate(rows, "pooled").value
    assert pooled is not None
    assert pooled > 0.8
    assert correlate(rows, "system").undefined == {"metric_constant": 2}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_does_not_matter(level: Level, kind: Kind) -> None:
    rng = np.random.default_rng(5)
    for rows in (judged(rng, 12, 4)[0], untidy(rng)):
        assert correlate(shuffled(rows, rng), level, kind) == correlate(rows, level, kind)  # to the last bit


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'pooled'"):
        correlate(SIX, "pool")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="1 systems"):
        scored([1, 2], [1, 2], ["a", "b"], ["x"])
