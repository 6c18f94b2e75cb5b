"""Preset multilingual in each language of two data sets: its fills, its agreement with people, its robustness.

What is measured of a language is kept in a file, so that a run can go on where another one ended.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from accuracy.features import SETS, item_order
from mars_score.io.datasets.base import Dataset, select
from mars_score.io.datasets.loading import load_dataset
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics.registry import make_metric
from mars_score.stats.correlation import correlate
from mars_score.stats.data import scored
from mars_score.study.attacks.robustness import attack_dataset, robustness
from mars_score.text.languages import is_foreign, mismatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mars_score.io.datasets.base import Rated
    from mars_score.types import AugmentedReference, Example

LANGUAGES = {
    "xdial_persona": ("de", "fr", "zh", "ja", "hi", "ar"),
    "multisummeval": ("de", "fr", "zh", "id", "tr"),
}
RIVALS = ("rougeL", "chrf", "bertscore")
"""BERTScore has the same encoder as MARS."""
VARIANTS: dict[str, dict[str, float]] = {
    "without words": {"words": 0.0},
    "without relevance": {"relevance": 0.0},
    "without likelihood": {"likelihood": 0.0},
}
"""What the score would be without one of its terms."""
SCORES = ("mars", "mars_paper", *VARIANTS, *RIVALS)
ATTACKS = ("reorder", "retrieve")


def sample(rows: list[Rated], count: int) -> list[Rated]:
    """All rows of so many items, in the order of a hash of their texts."""
    items = groupby(sorted(rows, key=item_order), key=item_order)
    return [row for _, item in islice(items, count) for row in item]


def measure_languages(source: Path, target: Path, items: int, only: str = "") -> None:
    """Measure each language of each set, and keep it."""
    scorer = MarsScorer(preset="multilingual")
    target.mkdir(parents=True, exist_ok=True)
    for name, languages in LANGUAGES.items():
        dataset = load_dataset(source / f"{name}.jsonl")
        for language in languages:
            path = target / f"{name}-{language}.json"
            if path.is_file() or only not in ("", f"{name}:{language}"):
                continue
            data = Dataset(name, tuple(sample(list(select(dataset, langs=[language])), items)))
            start = time.monotonic()
            found = {"set": name, "language": language, **measured(scorer, data, language)}
            path.write_text(json.dumps({**found, "seconds": time.monotonic() - start}), encoding="utf-8")
            print(f"{name} {language} done", file=sys.stderr, flush=True)


def measured(scorer: MarsScorer, data: Dataset, language: str) -> dict[str, object]:
    """Agreement by metric, the share of fills in the language, flags by the English default, and attacks."""
    examples = list(data.examples)
    values = {name: scores(scorer, name, examples) for name in ("mars", "mars_paper", *RIVALS)}
    values |= {
        name: scores(scorer.with_options(**options), "mars", examples) for name, options in VARIANTS.items()
    }
    agreement = {}
    for name, each in values.items():
        rows = scored(each, [row.human for row in data], _items(data), [""] * len(examples))
        pooled, by_item = correlate(rows, "pooled", "pearson").value, correlate(rows, "item", "kendall").value
        agreement[name] = [pooled or 0.0, by_item or 0.0]
    augmentations = scorer.augment_examples(examples).values()
    texts = [one for each in augmentations for one in each.augmented[1:]]
    return {
        "signature": scorer.signature,
        "rows": len(examples),
        "references": len(augmentations),
        "agreement": agreement,
        "in the language": _share(stays(one, language) for one in texts),
        "flagged by the default": _share(map(flagged, examples)),
        "attacks": {attack: robust(scorer, data, attack) for attack in ATTACKS},
    }


def stays(augmented: AugmentedReference, language: str) -> bool:
    """Whether an augmented reference keeps to a language by script and word frequency: the text, and its fills alone."""
    return not any(is_foreign(text, language) for text in (augmented.text, " ".join(augmented.fills)))


def flagged(example: Example) -> bool:
    """Whether the English default says that a row is in another language."""
    return mismatch("en", example.references[0], example.context)


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
    return result.upper_share if attack == "retrieve" else result.share


def language_table(folder: Path, source: Path) -> str:
    """What was measured, as tables for docs/languages.md; and how often English rows are flagged."""
    found = [
        json.loads(path.read_text("utf-8"))
        for name, languages in LANGUAGES.items()
        for language in languages
        if (path := folder / f"{name}-{language}.json").is_file()
    ]
    lines = [
        f"| set | rows | {' | '.join(SCORES)} | best |",
        "|---|---|" + "---|" * (len(SCORES) + 1),
        *(
            f"| {one['set']} {one['language']} | {one['rows']} | "
            + " | ".join(_both(one["agreement"][score]) for score in SCORES)
            + f" | {_best(one)} |"
            for one in found
        ),
    ]
    by_set = {name: [one for one in found if one["set"] == name] for name in LANGUAGES}
    for title, group in {**{f"mean of {name}": each for name, each in by_set.items()}, "mean": found}.items():
        if group:
            means = [_means([one["agreement"][score] for one in group]) for score in SCORES]
            lines.append(f"| {title} | | {' | '.join(map(_both, means))} | |")
    ahead = sum(_best(one) == "mars" for one in found)
    difference = _means([one["agreement"]["mars"] for one in found])[0] - (
        _means([one["agreement"]["chrf"] for one in found])[0]
    )
    lines += [
        "",
        f"By Pearson, `mars` is ahead of ROUGE-L, chrF and BERTScore on {ahead} of {len(found)}; its mean is "
        f"{_number(difference)} above chrF's.",
        "",
        "| set | references | fills in the language | flagged by the default | reorder | retrieve |",
        "|---|---|---|---|---|---|",
        *(
            f"| {one['set']} {one['language']} | {one['references']} | {one['in the language']:.0%} | "
            f"{one['flagged by the default']:.0%} | {_number(one['attacks']['reorder'])} | "
            f"{_number(one['attacks']['retrieve'])} |"
            for one in found
        ),
    ]
    means = [_mean([one["attacks"][attack] for one in found]) for attack in ATTACKS]
    lines.append(f"| mean | | | | {' | '.join(map(_number, means))} |")
    return "\n".join([*lines, "", _flags_of_others(source)])


def _flags_of_others(source: Path) -> str:
    """How many rows the English default flags: of the English sets, and of all in other languages."""
    rows = {
        name: [flagged(example) for example in load_dataset(source / f"{name}.jsonl").examples]
        for name in (*SETS, *LANGUAGES)
    }
    english = [flag for name in SETS for flag in rows[name]]
    most = max(SETS, key=lambda name: _share(rows[name]))
    foreign = [flag for name in LANGUAGES for flag in rows[name]]
    return (
        f"The English default flags {sum(foreign)} of all {len(foreign)} rows of the two sets, and {sum(english)} of "
        f"{len(english)} rows of {len(SETS)} English ones; of one set {_share(rows[most]):.1%} at most ({most})."
    )


def _best(one: dict[str, Any]) -> str:
    """Of MARS and its rivals, the one that agrees most with people by Pearson."""
    return max(("mars", *RIVALS), key=lambda score: float(one["agreement"][score][0]))


def _means(pairs: Sequence[Sequence[float]]) -> list[float]:
    return [sum(each) / len(pairs) for each in zip(*pairs, strict=True)]


def _mean(values: Iterable[float | None]) -> float | None:
    told = [value for value in values if value is not None]
    return sum(told) / len(told) if told else None


def _both(pair: Sequence[float]) -> str:
    return f"{_number(pair[0])} / {_number(pair[1])}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def _share(values: Iterable[bool]) -> float:
    told = list(values)
    return sum(told) / len(told)


def _items(data: Dataset) -> list[str]:
    return [repr((row.example.context, row.example.references)) for row in data]
