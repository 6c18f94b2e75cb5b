"""Data with a known truth: items of different difficulty, systems of different quality, noisy judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mars_score.stats.data import Scored, scored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.stats.data import Floats


def table(items: int, systems: int) -> tuple[list[str], list[str]]:
    """The item and the system of each row."""
    return (
        [f"item{i:04}" for i in range(items) for _ in range(systems)],
        [f"system{s:02}" for _ in range(items) for s in range(systems)],
    )


def judged(
    rng: np.random.Generator,
    items: int,
    systems: int,
    noise: Sequence[float] = (1.0,),
    rounded: bool = False,
) -> list[Scored]:
    """One metric for each amount of noise, all on the same rows; `rounded` human scores have many ties."""
    quality = rng.normal(size=(items, systems)) + rng.normal(size=(items, 1)) + 0.3 * np.arange(systems)
    human = quality + 0.5 * rng.normal(size=quality.shape)
    if rounded:
        human = np.round(human)
    metrics = [quality + level * rng.normal(size=quality.shape) for level in noise]
    return [rows(metric, human) for metric in metrics]


def rows(metric: Floats, human: Floats) -> Scored:
    """Arrays by (items, systems) as rows."""
    return scored(metric.ravel(), human.ravel(), *table(*metric.shape))


def untidy(rng: np.random.Generator, n: int = 40) -> Scored:
    """Rows as they come: ties everywhere, missing scores, items of any size, a system twice in an item."""
    metric = [None if rng.random() < 0.1 else float(v) for v in rng.integers(0, 6, n)]
    human = [None if rng.random() < 0.1 else float(v) for v in rng.integers(1, 6, n)]
    return scored(
        metric, human, [f"i{v}" for v in rng.integers(0, 9, n)], [f"s{v}" for v in rng.integers(0, 4, n)]
    )


def shuffled(given: Scored, rng: np.random.Generator) -> Scored:
    """The same rows in another order."""
    order = rng.permutation(len(given))
    return scored(
        given.metric[order],
        given.human[order],
        [given.item_names[i] for i in given.items[order]],
        [given.system_names[s] for s in given.systems[order]],
    )
