"""What metrics are compared with: people's mean rating, single aspects, or every single rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.evaluation.scored import scored
from mars_score.study.results import HUMAN, PER_RATING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.datasets.base import Dataset
    from mars_score.evaluation.scored import Scored


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

    found = [target(HUMAN, rows, dataset.human)]
    aspects = sorted({name for row in dataset for name in row.aspects})
    found += [target(name, rows, [row.aspects.get(name) for row in dataset]) for name in aspects]
    single = [(i, rating) for i, row in enumerate(dataset) for rating in row.ratings]
    if single:
        found.append(target(PER_RATING, [i for i, _ in single], [rating for _, rating in single]))
    return found
