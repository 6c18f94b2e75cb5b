"""Folders of measurements of the same rows beside each other: encoders, or ways to augment references."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from accuracy.compare import DEFAULT, DRAWS, TITLES, Measured, three_digits
from accuracy.features import SETS
from mars_score.stats.bootstrap import difference, interval, resampled_correlation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from accuracy.compare import Weights

FORMULAS: Mapping[str, Weights] = {"Eq. 7": {}, "default": DEFAULT}
Sets = dict[str, list[Measured]]


def encoder_table(folder: Path, other: Path) -> str:
    """Agreement with people of two encoders, with Eq. 7 and with the default formula, set by set."""
    sets = same_sets([folder, other])
    encoders = [measured.encoder for measured in next(iter(sets.values()))]
    return "\n".join(_agreement(sets, encoders))


def augmented_table(folders: Sequence[Path]) -> str:
    """The same of ways to augment references, named by folder, and how far each lies from the first with Eq. 7."""
    sets, names = same_sets(folders), [folder.name.replace("-", " ") for folder in folders]
    lines = [
        *_agreement(sets, names),
        "",
        f"| less {names[0]} | set | Pearson | Kendall by item |",
        "|---|---|---|---|",
    ]
    for place in range(1, len(folders)):
        for name, measured in sets.items():
            gains = [_gain(measured[0], measured[place], kind) for kind in range(len(TITLES))]
            lines.append(f"| {names[place]} | {name} | {' | '.join(gains)} |")
    return "\n".join(lines)


def same_sets(folders: Sequence[Path]) -> Sets:
    """The sets that all folders have, and of each the rows that all have: samples are taken in the same order."""
    found: Sets = {}
    for name in SETS:
        paths = [folder / f"{name}.json" for folder in folders]
        if all(path.is_file() for path in paths):
            whole = [Measured(path) for path in paths]
            count = min(len(measured.columns["item"]) for measured in whole)
            found[name] = [measured.first(count) for measured in whole]
            if any(each.columns["item"] != found[name][0].columns["item"] for each in found[name]):
                raise SystemExit("the folders hold measurements of different rows")
    return found


def _agreement(sets: Sets, names: Sequence[str]) -> list[str]:
    """Pearson and Kendall by item of each formula and folder."""
    counts = [str(len(measured[0].columns["item"])) for measured in sets.values()]
    lines = [
        f"| | {' | '.join(sets)} | mean |",
        "|---|" + "---|" * (len(sets) + 1),
        f"| rows | {' | '.join(counts)} | |",
    ]
    for kind, title in enumerate(TITLES):
        lines.append(f"| **{title}** |" + " |" * (len(sets) + 1))
        for formula, weights in FORMULAS.items():
            for place, name in enumerate(names):
                own = [measured[place] for measured in sets.values()]
                numbers = [each.agreement(list(each.scores(weights)))[kind] for each in own]
                cells = " | ".join(map(three_digits, [*numbers, float(np.nanmean(numbers))]))
                lines.append(f"| {formula}, {name} | {cells} |")
    return lines


def _gain(first: Measured, second: Measured, kind: int) -> str:
    """By how much the second agrees better with Eq. 7, with an interval by bootstrap over items."""
    if kind and first.few:
        return "-"
    rows = [each.rows(list(each.scores({}))) for each in (second, first)]
    both = [
        resampled_correlation(each, "item", "kendall")
        if kind
        else resampled_correlation(each, "pooled", "pearson")
        for each in rows
    ]
    found = interval(difference(*both), len(rows[0].item_names), draws=DRAWS)
    gain = float(difference(*both)(np.ones((1, len(rows[0].item_names))))[0])
    return f"{gain:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
