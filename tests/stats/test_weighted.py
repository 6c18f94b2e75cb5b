"""The fast path of the bootstrap gives what repeating the rows gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mars_score.stats.bootstrap import Resampled, draw_weights, resampled_accuracy, resampled_correlation
from mars_score.stats.correlation import KINDS, LEVELS, Kind, Level, correlate
from mars_score.stats.data import Floats, Scored, scored, take
from mars_score.stats.pairwise import pairwise_accuracy
from tests.stats.simulated import judged, untidy


def of_rows(rows: Scored, statistic: Callable[[Scored], float | None]) -> Resampled:
    """Any statistic of rows as a function of weights: slow, since it repeats the rows for each draw.

    Copies of an item are items of their own, as they would be if they had been collected twice.
    """

    def statistic_of_draw(weights: Floats) -> float:
        copies = weights[rows.items].astype(np.intp)
        chosen = np.repeat(np.arange(len(rows)), copies)
        nth = np.arange(len(chosen)) - np.repeat(np.cumsum(copies) - copies, copies)  # which copy of its row
        drawn = take(rows, chosen)
        keys, items = np.unique(np.stack([drawn.items, nth], axis=1), axis=0, return_inverse=True)
        names = tuple(f"{rows.item_names[item]}#{copy}" for item, copy in keys)
        value = statistic(
            Scored(drawn.metric, drawn.human, items.ravel(), drawn.systems, names, rows.system_names)
        )
        return np.nan if value is None else value

    return lambda weights: np.array([statistic_of_draw(row) for row in weights], dtype=np.float64)


def data(seed: int) -> Scored:
    rng = np.random.default_rng(seed)
    return judged(rng, 9, 3, rounded=True)[0] if seed % 2 else untidy(rng)


def weights_for(rows: Scored) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    count = len(rows.item_names)
    return np.vstack([np.ones(count), draw_weights(count, 12, 7), 1 - np.eye(count), np.eye(count)])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_correlations(level: Level, kind: Kind, seed: int) -> None:
    rows = data(seed)
    weights = weights_for(rows)
    slow = of_rows(rows, lambda drawn: correlate(drawn, level, kind).value)(weights)
    fast = resampled_correlation(rows, level, kind)(weights)
    np.testing.assert_array_equal(np.isnan(fast), np.isnan(slow))
    np.testing.assert_allclose(fast, slow, atol=1e-9)
    assert np.isfinite(fast).any()


@pytest.mark.parametrize("seed", range(6))
def test_pairwise_accuracy(seed: int) -> None:
    rows = data(seed)
    weights = weights_for(rows)
    slow = of_rows(rows, lambda drawn: pairwise_accuracy(drawn).value)(weights)
    np.testing.assert_allclose(resampled_accuracy(rows)(weights), slow, atol=1e-12)


def test_rows_are_repeated_with_their_item() -> None:
    rows = scored([1, 2, 3], [4, 5, 6], ["a", "b", "a"], ["x", "x", "y"])
    seen: list[Scored] = []

    def keep(drawn: Scored) -> float:
        seen.append(drawn)
        return 0.0

    of_rows(rows, keep)(np.array([[2.0, 0.0]]))
    assert seen[0].metric.tolist() == [1, 1, 3, 3]
    assert [seen[0].item_names[i] for i in seen[0].items] == ["a#0", "a#1", "a#0", "a#1"]
    assert [seen[0].system_names[s] for s in seen[0].systems] == ["x", "x", "y", "y"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_rows(level: Level, kind: Kind) -> None:
    nothing = scored([None, None], [1, 2], ["a", "b"], ["x", "x"])
    assert np.isnan(resampled_correlation(nothing, level, kind)(np.ones((3, 2)))).all()
    assert np.isnan(resampled_accuracy(nothing)(np.ones((3, 2)))).all()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_scores_that_are_equal_but_for_rounding(level: Level, kind: Kind) -> None:
    metric = [0.3, 0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 0.1 + 0.2]
    flat = scored(metric, [1, 2, 3, 3, 2, 1], ["a", "a", "a", "b", "b", "b"], ["x", "y", "z"] * 2)
    assert correlate(flat, level, kind).value is None
    assert np.isnan(resampled_correlation(flat, level, kind)(np.ones((1, 2)))).all()
