"""Two sentence encoders beside each other, from stored measurements of the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from accuracy.compare import DEFAULT, TITLES, Measured, three_digits
from accuracy.features import SETS

if TYPE_CHECKING:
    from pathlib import Path

FORMULAS = {"Eq. 7": {}, "default": DEFAULT}


def encoder_table(folder: Path, other: Path) -> str:
    """Agreement with people of both encoders, with Eq. 7 and with the default formula, set by set."""
    both = {
        name: same_rows(Measured(folder / f"{name}.json"), Measured(other / f"{name}.json"))
        for name in SETS
        if (folder / f"{name}.json").is_file() and (other / f"{name}.json").is_file()
    }
    encoders = [next(iter(both.values()))[place].encoder for place in (0, 1)]
    lines = [
        f"| | {' | '.join(both)} | mean |",
        "|---|" + "---|" * (len(both) + 1),
        f"| rows | {' | '.join(str(len(pair[0].columns['item'])) for pair in both.values())} | |",
    ]
    for kind, title in enumerate(TITLES):
        lines.append(f"| **{title}** |" + " |" * (len(both) + 1))
        for formula, weights in FORMULAS.items():
            for place, encoder in enumerate(encoders):
                reached = [pair[place].agreement(list(pair[place].scores(weights))) for pair in both.values()]
                numbers = [each[kind] for each in reached]
                cells = " | ".join(map(three_digits, [*numbers, float(np.nanmean(numbers))]))
                lines.append(f"| {formula}, {encoder} | {cells} |")
    return "\n".join(lines)


def same_rows(one: Measured, other: Measured) -> tuple[Measured, Measured]:
    """The rows that both have: samples are taken in the same order, so one begins like the other."""
    count = min(len(one.columns["item"]), len(other.columns["item"]))
    first, second = one.first(count), other.first(count)
    if first.columns["item"] != second.columns["item"]:
        raise SystemExit("the two folders hold measurements of different rows")
    return first, second
