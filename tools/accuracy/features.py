"""What every formula is made of, measured once for each row and kept in a file."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mars_score.io.datasets.loading import load_dataset
from mars_score.metrics.registry import make_metric

if TYPE_CHECKING:
    from mars_score.config import ScoringConfig
    from mars_score.io.datasets.base import Rated
    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import ItemScore

SETS = (
    "newsroom", "mans_roc", "nextchapter_roc", "kpqa_semeval_mcscript", "kpqa_marco", "kpqa_narrativeqa",
    "usr_personachat", "grade", "summeval", "dialsummeval", "huse_summarization", "qgeval",
)  # fmt: skip
BASELINES = (
    "bleu1",
    "meteor",
    "rougeL",
    "sentence_mover",
    "moverscore",
    "bertscore",
    "perplexity",
    "naive",
    "chrf",
)
"""The paper's baselines, and one of today."""
REFERENCES = 2
"""So many of each row's references are used."""


def sample(rows: list[Rated], count: int) -> list[Rated]:
    """Whole items, in the order of a hash of their texts, until there are so many rows."""
    chosen: list[Rated] = []
    for _, item in groupby(sorted(rows, key=item_order), key=item_order):
        if len(chosen) >= count:
            break
        chosen += item
    return chosen


def item_order(row: Rated) -> str:
    """A hash of an item's texts, by which samples are taken."""
    texts = (row.example.context, row.example.references[0])
    return hashlib.blake2b("\x00".join(texts).encode(), digest_size=8).hexdigest()


def measure(
    source: Path, target: Path, name: str, rows: int, scorer: MarsScorer, *, baselines: bool = True
) -> None:
    """Write the measurements of a set's sample; without the baselines where another folder has them."""
    path = target / f"{name}.json"
    if path.is_file():
        return
    start = time.monotonic()
    rated = sample(list(load_dataset(source / f"{name}.jsonl")), rows)
    examples = [replace(row.example, references=row.example.references[:REFERENCES]) for row in rated]
    columns: dict[str, list[Any]] = {
        "item": [item_order(row) for row in rated],
        "human": [row.human for row in rated],
    }
    for baseline in BASELINES if baselines else ():
        metric = make_metric(baseline, scorer)
        sign = 1 if metric.higher_is_better else -1
        columns[baseline] = [
            None if value.score is None else sign * value.score for value in metric.score(examples)
        ]
    result = scorer.score_examples(examples)
    terms = [_terms(item, scorer.config.scoring) for item in result]
    columns |= {term: [row[term] for row in terms] for term in terms[0]}
    columns["cosines"] = [[term.cosine for term in item.augmented] for item in result]
    path.write_text(
        json.dumps({"signature": result.signature, "seconds": time.monotonic() - start, **columns}),
        encoding="utf-8",
    )


def _terms(item: ItemScore, weights: ScoringConfig) -> dict[str, float]:
    """The parts of a score, each divided by its weight; single words as they match."""
    parts = {part.name: part for part in item.adjustments}
    terms = {
        name: parts[name].amount / getattr(weights, name) if name in parts else 0.0
        for name in ("relevance", "fluency", "facts", "likelihood")
    }
    return {
        "mars": item.score,
        "formula": sum(term.cosine * term.weight for term in item.augmented),
        "human_reference": item.augmented[0].cosine,
        "words": parts["words"].measured,
        **terms,
        "copied": item.copied,
    }
