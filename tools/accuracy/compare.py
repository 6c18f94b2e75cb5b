"""Formulas beside each other, from stored measurements: pooled Pearson and Kendall by item for each set."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from accuracy.features import BASELINES, SETS
from mars_score.stats.bootstrap import interval, resampled_correlation
from mars_score.stats.correlation import correlate
from mars_score.stats.data import Scored, scored
from mars_score.stats.pairwise import pairwise_accuracy
from mars_score.stats.permutation import perm_both

Weights = Mapping[str, float]
FAST: Weights = {"words": 0.7, "relevance": 0.8, "fluency": 0.2, "facts": 0.1}
DEFAULT: Weights = {**FAST, "likelihood": 0.25}
TERMS = ("relevance", "fluency", "facts", "likelihood")
GRID: dict[str, tuple[float, ...]] = {
    "words": (0.0, 0.5, 0.7), "relevance": (0.0, 0.4, 0.8), "fluency": (0.0, 0.2, 0.3), "facts": (0.0, 0.05, 0.1, 0.15),
    "likelihood": (0.0, 0.15, 0.25, 0.35),
}  # fmt: skip
"""What a fold chooses from; of likelihood, for `fast`, 0 alone."""
TITLES = ("Pearson, pooled", "Kendall by item")
DRAWS = 1000
SIGNIFICANT = 0.05
PAPER_BASELINES = tuple(name for name in BASELINES if name != "chrf")


class Measured:
    """A set's stored measurements."""

    def __init__(self, path: Path | None = None, columns: Mapping[str, Any] | None = None) -> None:
        """Read them, or take what was read."""
        self.columns: dict[str, Any] = dict(columns or {})
        if path is not None:
            self.columns |= json.loads(path.read_text(encoding="utf-8"))

    def first(self, count: int) -> Measured:
        """The measurements of the first rows."""
        columns = {
            name: values[:count] if isinstance(values, list) else values
            for name, values in self.columns.items()
        }
        return Measured(columns=columns)

    @property
    def encoder(self) -> str:
        """The sentence encoder, by its name in the signature."""
        found = re.search(r"\benc:([^@|]+)", self.columns["signature"])
        return found[1] if found else "?"

    def scores(self, weights: Weights) -> list[float]:
        """The scores of a formula: Eq. 7, part of its place taken by single words, and the weighted terms."""
        formula, words = (np.array(self.columns[name], float) for name in ("formula", "words"))
        total = formula + weights.get("words", 0.0) * (words - formula)
        for term in TERMS:
            total = total + weights.get(term, 0.0) * np.array(self.columns[term], float)
        return [float(value) for value in total]

    def rows(self, values: list[float | None]) -> Scored:
        """Scores beside people's ratings."""
        items = self.columns["item"]
        return scored(values, self.columns["human"], items, [""] * len(items))

    @property
    def few(self) -> bool:
        """Whether hardly any item has two candidates, so that nothing can be said by item."""
        items = self.columns["item"]
        return len(items) - len(set(items)) < 10

    def agreement(self, values: list[float | None]) -> tuple[float, float]:
        """Pooled Pearson, and Kendall by item; NaN where it is undefined."""
        rows = self.rows(values)
        pooled = correlate(rows, "pooled", "pearson").value
        by_item = None if self.few else correlate(rows, "item", "kendall").value
        return (np.nan if pooled is None else pooled), (np.nan if by_item is None else by_item)


@dataclass(frozen=True, slots=True)
class Report:
    """What is measured of all formulas."""

    tables: str
    """Agreement, what each fold chooses, and intervals and tests: for docs/accuracy.md."""
    summary: str
    """The same in three sentences: for the README."""


def report(folder: Path) -> Report:
    """Compare formulas and baselines on all sets that were measured."""
    sets = {name: Measured(folder / f"{name}.json") for name in SETS if (folder / f"{name}.json").is_file()}
    formulas = {"Eq. 7": {}, "default": DEFAULT, "fast": FAST} | {
        f"default without {term}": {other: weight for other, weight in DEFAULT.items() if other != term}
        for term in FAST
    }
    values: dict[str, list[list[float | None]]] = {
        name: [list(data.scores(weights)) for data in sets.values()] for name, weights in formulas.items()
    }
    for metric in ("human_reference", *BASELINES):
        values[metric] = [data.columns[metric] for data in sets.values()]
    rows = {
        name: [data.agreement(own) for data, own in zip(sets.values(), each, strict=True)]
        for name, each in values.items()
    }
    folds = {"default": leave_one_out(sets, reads=True), "fast": leave_one_out(sets, reads=False)}
    for name, chosen in folds.items():
        rows[f"{name}, chosen on the other sets"] = [agreement for _, agreement in chosen.values()]
    lines = [f"| | {' | '.join(sets)} | mean |", "|---|" + "---|" * (len(sets) + 1)]
    for kind, title in enumerate(TITLES):
        lines.append(f"| **{title}** |" + " |" * (len(sets) + 1))
        for name, pairs in rows.items():
            numbers = [pair[kind] for pair in pairs]
            cells = " | ".join(map(three_digits, [*numbers, float(np.nanmean(numbers))]))
            lines.append(f"| {name} | {cells} |")
    for name, chosen in folds.items():
        lines += ["", f"Weights that each fold chose, {name}:", ""]
        lines += [
            f"- {left_out}: {', '.join(f'{k} {v:g}' for k, v in weights.items())}"
            for left_out, (weights, _) in chosen.items()
        ]
    tables = "\n".join([*lines, "", *_tested(sets, values)])
    return Report(tables, _summary(rows, len(sets)))


def _summary(rows: Mapping[str, Sequence[tuple[float, float]]], count: int) -> str:
    """Means over the sets, and on how many of them a formula is ahead of every baseline of the paper."""
    means = {name: np.nanmean(np.array(pairs), axis=0) for name, pairs in rows.items()}
    best = max(PAPER_BASELINES, key=lambda name: float(means[name][0]))

    def ahead(name: str) -> int:
        rivals = zip(*(rows[baseline] for baseline in PAPER_BASELINES), strict=True)
        pairs = zip(rows[name], rivals, strict=True)
        return sum(own[0] > max(rival[0] for rival in others) for own, others in pairs)

    def both(name: str) -> str:
        return f"{three_digits(float(means[name][0]))} / {three_digits(float(means[name][1]))}"

    lines = [
        f"| mean over {count} sets | Pearson / Kendall by item | ahead of the paper's seven baselines and Naive |",
        "|---|---|---|",
        f"| default | {both('default')} | on {ahead('default')} |",
        f"| default, weights chosen on the other sets | {both('default, chosen on the other sets')} | |",
        f"| preset `fast`, without the language model's reading | {both('fast')} | on {ahead('fast')} |",
        f"| the paper's formula (Eq. 7) | {both('Eq. 7')} | on {ahead('Eq. 7')} |",
        f"| the best of these baselines, {best} | {both(best)} | |",
    ]
    return "\n".join(lines)


def write(text: str, path: Path, block: str) -> None:
    """Put a text into a page, between <!--BLOCK--> and <!--/BLOCK-->."""
    marks = re.compile(rf"(<!--{block}-->\n).*?(<!--/{block}-->)", re.DOTALL)
    page = path.read_text("utf-8")
    if not marks.search(page):
        raise SystemExit(f"{path.name} has no block {block}")
    path.write_text(marks.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page), "utf-8")


def _tested(sets: Mapping[str, Measured], values: Mapping[str, list[list[float | None]]]) -> list[str]:
    """Intervals of Pearson's r, pairwise accuracy with ties, and tests against every baseline of the paper."""
    lines = [
        "| set | score | Pearson, 95% interval | pairwise accuracy | of 8 baselines ahead | significantly |",
        "|---|---|---|---|---|---|",
    ]
    for place, (name, data) in enumerate(sets.items()):
        for formula in ("Eq. 7", "default", "fast"):
            rows = data.rows(values[formula][place])
            found = interval(
                resampled_correlation(rows, "pooled", "pearson"), len(rows.item_names), draws=DRAWS
            )
            accuracy = None if data.few else pairwise_accuracy(rows).value
            ahead = [data.rows(values[metric][place]) for metric in PAPER_BASELINES]
            tests = [perm_both(rows, other, draws=DRAWS) for other in ahead]
            wins = [test for test in tests if test.difference is not None and test.difference > 0]
            sure = [test for test in wins if test.p_two_sided is not None and test.p_two_sided < SIGNIFICANT]
            lines.append(
                f"| {name} | {formula} | {three_digits(found.low)} to {three_digits(found.high)} "
                f"| {three_digits(accuracy)} | {len(wins)} | {len(sure)} |"
            )
    return lines


def leave_one_out(
    sets: Mapping[str, Measured], *, reads: bool
) -> dict[str, tuple[Weights, tuple[float, float]]]:
    """For each set, the weights that are best on the others by the mean of both measures, and what they reach on it."""
    grid = GRID if reads else {**GRID, "likelihood": (0.0,)}
    choices = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
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


def three_digits(value: float | None) -> str:
    """As tables have it: three digits, without the zero before the point."""
    return "-" if value is None or np.isnan(value) else f"{value:.3f}".replace("0.", ".", 1)
