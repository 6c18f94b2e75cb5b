"""Unrelated: what the same system wrote about something else. It is as fluent, and beside the point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.attacks.drawing import one_of
from mars_score.attacks.layout import passage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from mars_score.attacks.base import Perturb
    from mars_score.datasets.base import Rated
    from mars_score.types import Example

_DRAWS = 10


def unrelated(rows: Sequence[Rated]) -> Perturb:
    """Draw a candidate of the same system for another item, and for another passage where there is one."""
    by_id = {row.id: (row.system, row.item) for row in rows}
    by_system: dict[str, list[tuple[str, str, str]]] = {}
    # By text, so that the draw depends neither on the order of rows nor on which ids they have.
    for row in sorted(rows, key=lambda row: (row.example.candidate, row.item)):
        if row.example.candidate.strip():
            other = row.item, passage(row.example), row.example.candidate
            by_system.setdefault(row.system, []).append(other)

    def perturb(example: Example, random: Random) -> str | None:
        system, item = by_id[example.id]
        own = passage(example)

        def fits(row: tuple[str, str, str]) -> bool:
            other, about, candidate = row
            return (
                other != item and (about != own or not own) and candidate.strip() != example.candidate.strip()
            )

        pool = by_system.get(system, [])
        # Nearly every row fits, so a few draws save looking through all of them for each of them.
        drawn = (one_of(pool, random) for _ in range(_DRAWS if pool else 0))
        found = next(filter(fits, drawn), None)
        if found is None:
            others = list(filter(fits, pool))
            found = one_of(others, random) if others else None
        return found[2] if found else None

    return perturb
