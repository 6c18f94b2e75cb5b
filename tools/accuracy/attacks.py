"""Spoilt candidates: how often each metric scores the original higher, over samples of the human-judged sets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from accuracy.features import BASELINES, REFERENCES, SETS, sample
from mars_score.io.datasets.base import Dataset
from mars_score.io.datasets.loading import load_dataset
from mars_score.metrics.registry import make_metric
from mars_score.study.attacks.robustness import ATTACKS, attack_dataset, robustness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import Example

UPPER = ("retrieve", "copy_context", "prompt_echo")
"""Attacks that take a text of the context: where the original is bad, such a text may well be better."""


def attack_table(source: Path, rows: int, scorer: MarsScorer, sets: Sequence[str] = SETS) -> str:
    """The share of rows whose original scores higher, in the mean of the sets; a tie counts half."""
    metrics = {name: make_metric(name, scorer) for name in ("mars", "mars_paper", *BASELINES)}
    shares: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in metrics}
    for name in sets:
        dataset = load_dataset(source / f"{name}.jsonl")
        rated = tuple(replace(row, example=_cut(row.example)) for row in sample(list(dataset), rows))
        data = Dataset(name, rated)
        attacks = [attack_dataset(data, attack) for attack in ATTACKS]
        for metric_name, metric in metrics.items():
            examples = [*data.examples, *(example for each in attacks for example in each.examples)]
            values = iter([value.score for value in metric.score(examples)])
            original = [next(values) for _ in data.examples]
            for each in attacks:
                result = robustness(
                    [original[row] for row in each.rows],
                    [next(values) for _ in each.rows],
                    [rated[row].human for row in each.rows],
                    higher_is_better=metric.higher_is_better,
                )
                share = result.upper_share if each.attack in UPPER else result.share
                if share is not None:
                    shares[metric_name][each.attack].append(share)
    lines = [f"| attack | {' | '.join(metrics)} |", "|---|" + "---|" * len(metrics)]
    for attack in ATTACKS:
        cells = (f"{np.mean(shares[name][attack]):.3f}".replace("0.", ".", 1) for name in metrics)
        lines.append(f"| `{attack}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cut(example: Example) -> Example:
    return replace(example, references=example.references[:REFERENCES])
