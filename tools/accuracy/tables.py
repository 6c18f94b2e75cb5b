"""Markdown tables of docs/accuracy.md."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from accuracy.measures import better_by_chance, copies_on_top, kendall, pearson, withstood
from accuracy.settings import ABLATIONS, BASELINES, FORMULA_OF, JUDGED, READ, SENTINELS, WRITTEN
from mars_score.stats.significance import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from accuracy.scores import Half

Halves = "Mapping[str, Half]"
SIGNIFICANT = 0.05
PAPER_SYSTEMS = ("textrank", "abstractive", "pointer_n")


def table(heading: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[float]]]) -> str:
    """One row a name; numbers without a leading zero, `-` for what does not exist."""
    lines = [f"| {heading} | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    lines += [f"| {name} | {' | '.join(map(_number, values))} |" for name, values in rows]
    return "\n".join(lines) + "\n"


def sweep(halves: Mapping[str, Half], names: Iterable[str]) -> str:
    """What each setting reaches on average over the sets."""
    columns = ("Pearson", "Kendall by item", "Reorder", "Retrieve", "unrelated")

    def values(name: str) -> list[float]:
        own = [
            (
                pearson(half, name), kendall(half, name),
                *(withstood(half, name, attack) for attack in ("reorder", "retrieve", "unrelated")),
            )
            for half in halves.values()
        ]  # fmt: skip
        return [_mean(column) for column in zip(*own, strict=True)]

    return table("setting", columns, ((name, values(name)) for name in names))


def written(halves: Mapping[str, Half]) -> str:
    """Pooled Pearson of each way of augmenting, by `mars` and by the paper's formula."""
    columns = [f"{key}{of}" for key in halves for of in ("", ", formula")]

    def values(name: str) -> list[float]:
        return [pearson(half, of + name) for half in halves.values() for of in ("", FORMULA_OF)]

    return table("setting", columns, ((name, values(name)) for name in WRITTEN))


def judged(halves: Mapping[str, Half]) -> str:
    """All tables of the test halves."""
    names = ["mars", READ, *JUDGED, *ABLATIONS, *BASELINES, *SENTINELS]
    names = list(dict.fromkeys(names))
    names = [name for name in names if any(name in half.scores for half in halves.values())]
    parts = ["Pooled Pearson correlation with people\n", _by_set(halves, names, pearson)]
    several = {
        key: half
        for key, half in halves.items()
        if any(not math.isnan(kendall(half, name)) for name in names)
    }
    parts += ["Kendall's tau, averaged by item\n", _by_set(several, names, kendall)]
    ours = [own for own in ("mars", READ) if all(own in half.scores for half in halves.values())]
    for own in ours:
        parts += [f"p-values of the pooled differences: {own} against the row\n", _chance(halves, own)]
    for attack in ("reorder", "retrieve", "unrelated"):
        parts += [f"{attack}: share of rows where the original scores higher\n"]
        attacked = [name for name in names if name not in (*BASELINES, *SENTINELS)]
        parts += [_by_set(halves, attacked, partial(withstood, attack=attack))]
    parts += ["copied reference: share of items where no candidate scores above it\n"]
    parts += [_by_set(halves, [*ours, "mars, paper's formula"], copies_on_top)]
    if "newsroom" in halves:
        parts += ["Newsroom, the paper's three systems\n", _newsroom(halves["newsroom"], names)]
    return "\n".join(parts)


def _by_set(halves: Mapping[str, Half], names: Iterable[str], measure: Callable[[Half, str], float]) -> str:
    def values(name: str) -> list[float]:
        found = [measure(half, name) for half in halves.values()]
        return [*found, _mean(found)]

    return table("metric", [*halves, "mean"], ((name, values(name)) for name in names))


def _chance(halves: Mapping[str, Half], own: str) -> str:
    """How a metric of ours differs from others; corrected by Holm within each set."""
    wanted = (*BASELINES, "human reference alone", "mars, paper's formula")
    others = [name for name in wanted if all(name in half.scores for half in halves.values())]
    columns = {
        key: holm([better_by_chance(half, own, other) for other in others]) for key, half in halves.items()
    }
    rows = (
        (other, [float(column[place] or 0.0) for column in columns.values()])
        for place, other in enumerate(others)
    )
    return table("against", list(columns), rows)


def _newsroom(half: Half, names: Iterable[str]) -> str:
    columns = ("pooled", *PAPER_SYSTEMS, "Kendall by item")

    def values(name: str) -> list[float]:
        return [
            pearson(half, name, PAPER_SYSTEMS),
            *(pearson(half, name, (system,)) for system in PAPER_SYSTEMS),
            kendall(half, name, PAPER_SYSTEMS),
        ]

    return table("metric", columns, ((name, values(name)) for name in names))


def _mean(values: Iterable[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}".replace("0.", ".", 1)
