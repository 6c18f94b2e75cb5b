"""Which of my systems is better? Scores of the same items, two systems at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.evaluation.multiple import holm
from mars_score.evaluation.paired import compare_systems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.study.results import DatasetResult, Study

LARGEST = 10
"""Items with the largest differences that are shown."""

ItemScores = dict[str, "float | None"]
"""A system's score of each item, by the item's id."""


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """An item that two systems do differently well."""

    item: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """Two systems, by one metric; differences are the first's score less the second's."""

    first: str
    second: str
    n: int
    """Items with both scores."""
    left_out: int
    mean_first: float | None
    mean_second: float | None
    difference: float | None
    low: float | None
    high: float | None
    """The 95% interval of the difference, by bootstrap over items."""
    p_bootstrap: float | None
    p_randomisation: float | None
    """Two-sided."""
    p_corrected: float | None
    """That of the randomisation, after Holm over all pairs of systems."""
    wins: int
    """Items that the first system does better, whichever way the metric goes."""
    ties: int
    losses: int
    largest: tuple[ItemDifference, ...]
    reason: str | None
    """Why there are no p-values."""


def compare_all(
    systems: Mapping[str, ItemScores], *, higher_is_better: bool = True, draws: int = 1000, seed: int = 0
) -> list[SystemComparison]:
    """Compare every two systems, in the order in which they are given."""
    if len(systems) < 2:
        raise ConfigError("nothing to compare; name at least two systems")
    pairs = list(combinations(systems, 2))
    found = [_compare(one, other, systems, draws, seed) for one, other in pairs]
    corrected = holm([one.p_randomisation for one in found])
    if higher_is_better:
        return [replace(one, p_corrected=p) for one, p in zip(found, corrected, strict=True)]
    return [
        replace(one, p_corrected=p, wins=one.losses, losses=one.wins)
        for one, p in zip(found, corrected, strict=True)
    ]


def _compare(
    first: str, second: str, systems: Mapping[str, ItemScores], draws: int, seed: int
) -> SystemComparison:
    a, b = systems[first], systems[second]
    items = list(dict.fromkeys([*a, *b]))
    x, y = [a.get(item) for item in items], [b.get(item) for item in items]
    found = compare_systems(x, y, draws=draws, seed=seed, largest=LARGEST)
    return SystemComparison(
        first, second, found.n, found.left_out, found.mean_a, found.mean_b, found.difference, found.low,
        found.high, found.p_bootstrap, found.p_randomisation, None, found.wins, found.ties, found.losses,
        tuple(ItemDifference(items[i], x[i] or 0.0, y[i] or 0.0) for i in found.largest), found.reason,
    )  # fmt: skip


def same_items(systems: Mapping[str, ItemScores]) -> None:
    """Refuse systems that were not scored on the same items: their means would say nothing."""
    (base, expected), *others = systems.items()
    for name, given in others:
        odd = next((item for item in given if item not in expected), None)
        absent = next((item for item in expected if item not in given), None)
        if odd is not None or absent is not None:
            without, item = (base, odd) if odd is not None else (name, absent)
            raise InputError(
                f"there is no item of id {item!r}",
                path=without,
                remedy="score both systems on the same items, with the same ids",
            )


def systems_of_study(
    study: Study, names: Sequence[str], metric: str, dataset: str | None
) -> dict[str, ItemScores]:
    """Return the scores of some systems of a study by item; of several rows of an item, their mean."""
    chosen = _dataset(study, dataset)
    for name in names:
        if name not in chosen.info.systems:
            known = ", ".join(chosen.info.systems)
            raise ConfigError(
                f"{chosen.name} has no system {name!r}; it has {known}.{did_you_mean(name, chosen.info.systems)}"
            )
    found: dict[str, ItemScores] = {}
    for name in names:
        rows: dict[str, list[float]] = {}
        for row in chosen.rows:
            score = row.scores.get(metric)
            if row.system == name and score is not None:
                rows.setdefault(row.item, []).append(score)
        found[name] = {item: sum(scores) / len(scores) for item, scores in rows.items()}
    return found


def _dataset(study: Study, name: str | None) -> DatasetResult:
    known = {one.name: one for one in study.datasets}
    if name is None:
        if len(known) > 1:
            raise ConfigError(f"the study has several data sets; name one with --dataset: {', '.join(known)}")
        return study.datasets[0]
    if name not in known:
        raise ConfigError(
            f"the study has no data set {name!r}; it has {', '.join(known)}.{did_you_mean(name, known)}"
        )
    return known[name]
