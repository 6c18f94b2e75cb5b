"""Pairwise accuracy with tie calibration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mars_score.stats.data import Scored, scored
from mars_score.stats.pairwise import pairwise_accuracy
from tests.stats.simulated import judged, shuffled, untidy


def plain(rows: Scored) -> tuple[float, float] | None:
    """Try every epsilon; count every pair. Returns the best accuracy and the smallest epsilon that has it."""
    items = []
    for code in range(len(rows.item_names)):
        here = np.flatnonzero((rows.items == code) & rows.usable)
        pairs = [
            (rows.metric[a] - rows.metric[b], rows.human[a] - rows.human[b]) for a, b in combinations(here, 2)
        ]
        if pairs:
            items.append(pairs)
    if not items:
        return None
    best = (-1.0, 0.0)
    for epsilon in sorted({0.0, *(abs(m) for pairs in items for m, _ in pairs)}):
        accuracies = []
        for pairs in items:
            correct = 0
            for m, h in pairs:
                tied = abs(m) <= epsilon
                correct += (tied and h == 0) or (not tied and m * h > 0)
            accuracies.append(correct / len(pairs))
        accuracy = sum(accuracies) / len(accuracies)
        if accuracy > best[0] + 1e-9:
            best = (accuracy, epsilon)
    return best


# The examples of the tests of mt-metrics-eval's tau_optimization.
@pytest.mark.parametrize(
    ("metric", "human", "value", "epsilon", "uncalibrated"),
    [
        ([[0, 2, 6, 8]], [[1, 2, 3, 4]], 1.0, 0, 1.0),
        ([[0, 2, 6, 8]], [[1, 1, 1, 4]], 4 / 6, 4, 3 / 6),
        ([[2, 1, 1.5, 5, 3]], [[1, 2, 2, 3, 4]], 0.7, 0.5, 0.6),
        (
            [[0, 5, 2, 3, 2], [None, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [None] * 5],
            [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, None, 3, 2], [None] * 5],
            0.4916666666666668,
            1,
            0.4666666666666667,
        ),
    ],
)
def test_known_values(
    metric: list[list[float | None]],
    human: list[list[float | None]],
    value: float,
    epsilon: float,
    uncalibrated: float,
) -> None:
    places = [(i, s) for i, row in enumerate(metric) for s in range(len(row))]
    rows = scored(
        [metric[i][s] for i, s in places],
        [human[i][s] for i, s in places],
        [f"{i}" for i, _ in places],
        [f"{s}" for _, s in places],
    )
    result = pairwise_accuracy(rows)
    assert result.value == pytest.approx(value)
    assert result.epsilon == epsilon
    assert result.uncalibrated == pytest.approx(uncalibrated)


@pytest.mark.parametrize("seed", range(40))
def test_against_every_epsilon(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = untidy(rng, int(rng.integers(2, 60))) if seed % 2 else judged(rng, 8, 4, rounded=True)[0]
    expected = plain(rows)
    result = pairwise_accuracy(rows)
    if expected is None:
        assert (result.value, result.reason) == (None, "no_pair")
    else:
        assert result.value == pytest.approx(expected[0])
        assert result.epsilon == expected[1]


def test_what_is_counted() -> None:
    rows = scored(
        [1, 2, 3, 4, None, 6],
        [1, 2, 2, 1, 1, 1],
        ["a", "a", "a", "b", "b", "c"],
        ["x", "y", "z", "x", "y", "x"],
    )
    result = pairwise_accuracy(rows)
    assert (result.items, result.pairs, result.items_without_pairs, result.left_out) == (1, 3, 2, 1)


def test_a_metric_of_one_value_ties_all() -> None:
    rows = scored([7, 7, 7], [1, 2, 2], ["a"] * 3, ["x", "y", "z"])
    result = pairwise_accuracy(rows)
    assert result.value == pytest.approx(1 / 3)
    assert result.epsilon == 0.0


def test_no_pairs() -> None:
    for rows in (scored([], [], [], []), scored([1, 2], [1, 2], ["a", "b"], ["x", "x"])):
        result = pairwise_accuracy(rows)
        assert (result.value, result.epsilon, result.reason) == (None, None, "no_pair")


def test_scale_moves_epsilon_alone_and_order_moves_nothing() -> None:
    rng = np.random.default_rng(1)
    rows = judged(rng, 15, 5, rounded=True)[0]
    result = pairwise_accuracy(rows)
    assert result.epsilon is not None
    assert result.epsilon > 0
    doubled = scored(
        rows.metric * 2, rows.human, [rows.item_names[i] for i in rows.items], [f"{s}" for s in rows.systems]
    )
    assert pairwise_accuracy(doubled).value == result.value
    assert pairwise_accuracy(doubled).epsilon == 2 * result.epsilon
    assert pairwise_accuracy(shuffled(rows, rng)) == result
