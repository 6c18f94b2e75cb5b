"""What a study is to do: its settings, the rows and human scores that it compares with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError
from mars_score.metrics.registry import ALL, METRICS, metric_names
from mars_score.stats.data import Scored, scored
from mars_score.study.attacks.robustness import ATTACKS, find_attack
from mars_score.study.results import HUMAN, PER_RATING

if TYPE_CHECKING:
    from mars_score.io.datasets.base import Dataset


@dataclass(frozen=True, slots=True)
class StudySettings:
    """Which metrics and attacks, and how hard statistics try."""

    metrics: tuple[str, ...] = tuple(METRICS)
    attacks: tuple[str, ...] = tuple(ATTACKS)
    attack_rows: int | None = 100
    """Rows of a data set that are attacked at most, a random sample of whole items; None for all."""
    draws: int = 1000
    """Of each bootstrap; permutation tests make more where it matters."""
    seed: int = 0
    """Of attacks and of statistics."""
    top: int = 10
    """Rows of the error analysis."""
    sweep: bool = True
    """Whether masking ratios are swept (Table 5), where MARS is among the metrics."""

    def __post_init__(self) -> None:
        if not self.metrics:
            raise ConfigError("no metric is named; mars-score metrics lists them")
        metric_names(",".join(self.metrics))
        for name in self.attacks:
            find_attack(name)
        if self.attack_rows is not None and self.attack_rows < 1:
            raise ConfigError(f"{self.attack_rows} attacked rows; give at least 1")
        if self.draws < 1:
            raise ConfigError(f"{self.draws} draws; give at least 1")
        if self.top < 0:
            raise ConfigError(f"the {self.top} largest disagreements; give 0 or more")


def attack_names(text: str) -> tuple[str, ...]:
    """Read names separated by commas; ``all`` stands for every attack, ``none`` for no attack."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if names == ("none",):
        return ()
    return tuple(ATTACKS) if ALL in names else names


def first_items(dataset: Dataset, rows: int) -> Dataset:
    """Keep whole items, in the order in which they appear, as long as they are at most so many rows; at least one."""
    sizes: dict[str, int] = {}
    for row in dataset:
        sizes[row.item] = sizes.get(row.item, 0) + 1
    kept: set[str] = set()
    total = 0
    for item, size in sizes.items():
        if kept and total + size > rows:
            break
        kept.add(item)
        total += size
    return replace(dataset, rows=tuple(row for row in dataset if row.item in kept))


# What metrics are compared with: people's mean rating, single aspects, or every single rating.


@dataclass(frozen=True, slots=True)
class Target:
    """Human scores, one an entry; an entry is a row of the data set, or one rating of a row."""

    name: str
    rows: tuple[int, ...]
    """The row of the data set behind each entry."""
    human: tuple[float | None, ...]
    items: tuple[str, ...]
    systems: tuple[str, ...]

    def scored(self, metric: Sequence[float | None]) -> Scored:
        """Join with a metric's scores of the data set's rows."""
        return scored([metric[row] for row in self.rows], self.human, self.items, self.systems)


def targets(dataset: Dataset) -> list[Target]:
    """Return people's mean rating first, then each aspect by name, then single ratings if they are known."""
    rows = range(len(dataset))
    items, systems = [row.item for row in dataset], [row.system for row in dataset]

    def target(name: str, places: Sequence[int], human: Sequence[float | None]) -> Target:
        return Target(
            name,
            tuple(places),
            tuple(human),
            tuple(items[i] for i in places),
            tuple(systems[i] for i in places),
        )

    made = [target(HUMAN, rows, dataset.human)]
    aspects = sorted({name for row in dataset for name in row.aspects})
    made += [target(name, rows, [row.aspects.get(name) for row in dataset]) for name in aspects]
    single = [(i, rating) for i, row in enumerate(dataset) for rating in row.ratings]
    if single:
        made.append(target(PER_RATING, [i for i, _ in single], [rating for _, rating in single]))
    return made
