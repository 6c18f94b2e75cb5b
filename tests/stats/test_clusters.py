"""Clusters of significance."""

from __future__ import annotations

import pytest

from mars_score.stats.significance import Ranked, clusters


def test_a_new_cluster_begins_at_the_first_that_is_worse_than_any_of_the_open_one() -> None:
    # a beats d; b beats c. So c opens the second cluster, and d, beaten by no one in it, joins.
    worse = {("a", "d"), ("b", "c")}
    values = {"c": 0.5, "a": 0.7, "d": 0.4, "b": 0.6}
    result = clusters(values, lambda first, other: 0.01 if (first, other) in worse else 0.3)
    assert result == (
        Ranked("a", 0.7, 1, 1),
        Ranked("b", 0.6, 1, 1),
        Ranked("c", 0.5, 2, 3),
        Ranked("d", 0.4, 2, 3),
    )


@pytest.mark.parametrize(
    ("p", "expected"), [(0.001, [1, 2, 3, 4]), (0.5, [1, 1, 1, 1]), (None, [1, 1, 1, 1])]
)
def test_all_or_nothing(p: float | None, expected: list[int]) -> None:
    result = clusters({name: -ord(name) / 100 for name in "abcd"}, lambda *_: p)
    assert [ranked.cluster for ranked in result] == expected
    assert [ranked.rank for ranked in result] == expected
    assert [ranked.name for ranked in result] == ["a", "b", "c", "d"]


def test_only_better_ones_are_compared_and_alpha_counts() -> None:
    values = {"a": 3.0, "b": 2.0, "c": 1.0}
    asked: list[tuple[str, str]] = []

    def p_better(first: str, other: str) -> float:
        asked.append((first, other))
        return 0.03

    assert [ranked.cluster for ranked in clusters(values, p_better, alpha=0.01)] == [1, 1, 1]
    assert asked == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [ranked.cluster for ranked in clusters(values, p_better, alpha=0.05)] == [1, 2, 3]
    assert [ranked.cluster for ranked in clusters(values, p_better, alpha=0.03)] == [1, 1, 1]


def test_metrics_without_a_value_come_last_and_equal_ones_by_name() -> None:
    result = clusters({"z": None, "b": 0.5, "a": 0.5, "y": None}, lambda *_: 0.9)
    assert [(ranked.name, ranked.cluster, ranked.rank) for ranked in result] == [
        ("a", 1, 1),
        ("b", 1, 1),
        ("y", None, None),
        ("z", None, None),
    ]
    assert clusters({}, lambda *_: 0.9) == ()
