"""Preset multilingual in each language of two data sets: its fills, its agreement with people, its robustness."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from accuracy.features import sample
from mars_score.io.datasets.base import Dataset, select
from mars_score.io.datasets.loading import load_dataset
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics.registry import make_metric
from mars_score.stats.correlation import correlate
from mars_score.stats.data import scored
from mars_score.study.attacks.robustness import attack_dataset, robustness
from mars_score.text.languages import is_foreign, mismatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.types import Example

LANGUAGES = {
    "xdial_persona": ("de", "fr", "zh", "ja", "hi", "ar"),
    "multisummeval": ("de", "fr", "zh", "id", "tr"),
}
METRICS = ("mars", "mars_paper", "rougeL", "chrf", "bertscore")
"""BERTScore has the same encoder as MARS."""
VARIANTS: dict[str, dict[str, float]] = {
    "without words": {"words": 0.0},
    "without relevance": {"relevance": 0.0},
    "without facts": {"facts": 0.0},
}
"""What the score would be without one of its terms."""


def language_lines(source: Path, rows: int, only: str = "") -> None:
    """Print one JSON line for each language of each set."""
    scorer = MarsScorer(preset="multilingual")
    for name, languages in LANGUAGES.items():
        dataset = load_dataset(source / f"{name}.jsonl")
        for language in languages:
            if only in ("", f"{name}:{language}"):
                data = Dataset(name, tuple(sample(list(select(dataset, langs=[language])), rows)))
                print(json.dumps({"set": name, "language": language, **measured(scorer, data, language)}))
                sys.stdout.flush()


def measured(scorer: MarsScorer, data: Dataset, language: str) -> dict[str, object]:
    """Agreement by metric, the share of fills in the language, flags by the English default, and attacks."""
    examples = list(data.examples)
    values = {name: scores(scorer, name, examples) for name in METRICS}
    values |= {
        name: scores(scorer.with_options(**options), "mars", examples) for name, options in VARIANTS.items()
    }
    agreement = {}
    for name, each in values.items():
        rows = scored(each, [row.human for row in data], _items(data), [""] * len(examples))
        pooled, by_item = correlate(rows, "pooled", "pearson").value, correlate(rows, "item", "kendall").value
        agreement[name] = [round(pooled or 0.0, 3), round(by_item or 0.0, 3)]
    texts = [one.text for each in scorer.augment_examples(examples).values() for one in each.augmented[1:]]
    flagged = [mismatch("en", example.references[0], example.context) for example in examples]
    return {
        "rows": len(examples),
        "agreement": agreement,
        "in the language": round(sum(not is_foreign(text, language) for text in texts) / len(texts), 3),
        "flagged by the default": round(sum(flagged) / len(flagged), 3),
        "attacks": {attack: robust(scorer, data, attack) for attack in ("reorder", "retrieve")},
    }


def scores(scorer: MarsScorer, metric: str, examples: Sequence[Example]) -> list[float | None]:
    """The scores of a metric by the multilingual preset."""
    return [value.score for value in make_metric(metric, scorer).score(examples)]


def robust(scorer: MarsScorer, data: Dataset, attack: str) -> float | None:
    """The share of rows whose original scores higher; of the upper half by ratings, where a text is retrieved."""
    attacked = attack_dataset(data, attack)
    if not attacked.rows:
        return None
    original = [data.examples[row] for row in attacked.rows]
    result = robustness(
        scores(scorer, "mars", original),
        scores(scorer, "mars", attacked.examples),
        [data.rows[row].human for row in attacked.rows],
    )
    share = result.upper_share if attack == "retrieve" else result.share
    return None if share is None else round(share, 3)


def _items(data: Dataset) -> list[str]:
    return [repr((row.example.context, row.example.references)) for row in data]
