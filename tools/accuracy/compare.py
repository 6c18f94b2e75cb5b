"""Formulas beside each other, from stored measurements: pooled Pearson and Kendall by item for each set."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from accuracy.features import BASELINES, SETS
from mars_score.stats.correlation import correlate
from mars_score.stats.data import scored

Weights = Mapping[str, float]
DEFAULT: Weights = {"words": 0.5, "relevance": 0.4, "fluency": 0.3, "facts": 0.1}
GRID: dict[str, tuple[float, ...]] = {
    "words": (0.0, 0.5), "relevance": (0.0, 0.2, 0.3, 0.4), "fluency": (0.0, 0.3, 0.5), "facts": (0.0, 0.05, 0.1),
}  # fmt: skip
"""What a fold chooses from."""


class Measured:
    """A set's stored measurements."""

    def __init__(self, path: Path) -> None:
        """Read them."""
        self.columns: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))

    def scores(self, weights: Weights) -> list[float]:
        """The scores of a formula: Eq. 7, part of its place taken by single words, and the weighted terms."""
        column = {name: np.array(self.columns[name], float) for name in ("formula", *DEFAULT)}
        total = column["formula"] + weights.get("words", 0.0) * (column["words"] - column["formula"])
        gain, copied = column["relevance"], np.array(self.columns["copied"], float)
        column["relevance"] = np.where(gain > 0, gain * (1 - copied), gain)
        for term in ("relevance", "fluency", "facts"):
            total = total + weights.get(term, 0.0) * column[term]
        return [float(value) for value in total]

    def agreement(self, values: list[float | None]) -> tuple[float, float]:
        """Pooled Pearson, and Kendall by item; NaN where it is undefined."""
        items = self.columns["item"]
        rows = scored(values, self.columns["human"], items, [""] * len(items))
        few = len(items) - len(set(items)) < 10
        pooled = correlate(rows, "pooled", "pearson").value
        by_item = None if few else correlate(rows, "item", "kendall").value
        return (np.nan if pooled is None else pooled), (np.nan if by_item is None else by_item)


def report(folder: Path) -> str:
    """The table of formulas and baselines, and what each fold would choose."""
    sets = {name: Measured(folder / f"{name}.json") for name in SETS if (folder / f"{name}.json").is_file()}
    formulas = {"Eq. 7": {}, "default": DEFAULT} | {
        f"without {term}": {other: weight for other, weight in DEFAULT.items() if other != term}
        for term in DEFAULT
    }
    rows = {
        name: [data.agreement(list(data.scores(weights))) for data in sets.values()]
        for name, weights in formulas.items()
    }
    for metric in ("human_reference", *BASELINES):
        rows[metric] = [data.agreement(data.columns[metric]) for data in sets.values()]
    left_out = leave_one_out(sets)
    rows["chosen on the other sets"] = [agreement for _, agreement in left_out.values()]
    lines = [f"| | {' | '.join(sets)} | mean |", "|---|" + "---|" * (len(sets) + 1)]
    for kind, title in enumerate(("Pearson, pooled", "Kendall by item")):
        lines.append(f"| **{title}** |" + " |" * (len(sets) + 1))
        for name, pairs in rows.items():
            values = [pair[kind] for pair in pairs]
            numbers = " | ".join(map(_number, [*values, float(np.nanmean(values))]))
            lines.append(f"| {name} | {numbers} |")
    lines += ["", "Weights that each fold chose on the other sets:", ""]
    lines += [
        f"- {name}: {', '.join(f'{k} {v:g}' for k, v in weights.items())}"
        for name, (weights, _) in left_out.items()
    ]
    return "\n".join(lines)


def leave_one_out(sets: Mapping[str, Measured]) -> dict[str, tuple[Weights, tuple[float, float]]]:
    """For each set, the weights that are best on the others by the mean of both measures, and what they reach on it."""
    choices = [dict(zip(GRID, values, strict=True)) for values in itertools.product(*GRID.values())]
    reached = {
        name: [data.agreement(list(data.scores(weights))) for weights in choices]
        for name, data in sets.items()
    }

    def mean(number: int, names: Iterable[str]) -> float:
        pairs = [reached[name][number] for name in names]
        return float(np.nanmean([p for p, _ in pairs]) + np.nanmean([k for _, k in pairs]))

    chosen: dict[str, tuple[Weights, tuple[float, float]]] = {}
    for name in sets:
        others = [other for other in sets if other != name]
        best = max(range(len(choices)), key=lambda number: mean(number, others))
        chosen[name] = choices[best], reached[name][best]
    return chosen


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}".replace("0.", ".", 1)
