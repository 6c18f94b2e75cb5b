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
TERMS = ("words", "relevance", "likelihood", "unlikely")
"""What the score would be without one of them is told too."""
SCORES = ("mars", "Eq. 7", *(f"without {term}" for term in TERMS), *RIVALS)
ATTACKS = ("reorder", "retrieve")


def sample(rows: list[Rated], count: int) -> list[Rated]:
    """All rows of so many items, in the order of a hash of their texts."""
    items = groupby(sorted(rows, key=item_order), key=item_order)
    return [row for _, item in islice(items, count) for row in item]


def measure_languages(
    source: Path, target: Path, items: int, fills: int, only: str = "", *, human_only: bool = False
) -> None:
    """Measure each language of each set, and keep it: agreement and attacks, then fills.

    With `human_only`, references are augmented for the test of fills alone.
    """
    scorer = MarsScorer(preset="multilingual")
    scoring = scorer.with_options(ratios=()) if human_only else scorer
    target.mkdir(parents=True, exist_ok=True)
    for what in ("agreement", "fills") if fills else ("agreement",):
        for name, languages in LANGUAGES.items():
            dataset = load_dataset(source / f"{name}.jsonl")
            for language in languages:
                path = target / f"{name}-{language}-{what}.json"
                if path.is_file() or only not in ("", f"{name}:{language}"):
                    continue
                start, rows = time.monotonic(), list(select(dataset, langs=[language]))
                if what == "agreement":
                    found = agreement(scoring, Dataset(name, tuple(sample(rows, items))))
                else:
                    found = tested_fills(scorer, [row.example for row in sample(rows, fills)], language)
                path.write_text(json.dumps({**found, "seconds": time.monotonic() - start}), encoding="utf-8")
                print(f"{name} {language} {what} done", file=sys.stderr, flush=True)


def agreement(scorer: MarsScorer, data: Dataset) -> dict[str, Any]:
    """Pooled Pearson and Kendall by item of each score, and the attacks."""
    examples = list(data.examples)
    result = scorer.score_examples(examples)
    values: dict[str, list[float | None]] = {"mars": [item.score for item in result]}
    amounts = [{part.name: part.amount for part in item.adjustments} for item in result]
    formula = [sum(term.cosine * term.weight for term in item.augmented) for item in result]
    values["Eq. 7"] = list(formula)
    for left_out in TERMS:
        terms = [term for term in TERMS if term != left_out]
        values[f"without {left_out}"] = [
            own + sum(amount.get(term, 0.0) for term in terms)
            for own, amount in zip(formula, amounts, strict=True)
        ]
    values |= rivals(scorer, examples)
    pairs = {}
    for name, each in values.items():
        rows = scored(each, [row.human for row in data], list(map(item_order, data)), [""] * len(examples))
        pooled, by_item = correlate(rows, "pooled", "pearson").value, correlate(rows, "item", "kendall").value
        pairs[name] = [pooled or 0.0, by_item or 0.0]
    return {
        "signature": result.signature,
        "rows": len(examples),
        "agreement": pairs,
        "attacks": {attack: robust(scorer, data, values["mars"], attack) for attack in ATTACKS},
    }


def rivals(scorer: MarsScorer, examples: Sequence[Example]) -> dict[str, list[float | None]]:
    """The scores of other metrics, with the encoder of this one."""
    return {name: [value.score for value in make_metric(name, scorer).score(examples)] for name in RIVALS}


def tested_fills(scorer: MarsScorer, examples: Sequence[Example], language: str) -> dict[str, Any]:
    """The share of augmented references that keep to the language."""
    augmentations = scorer.augment_examples(examples).values()
    return {
        "signature": scorer.signature,
        "references": len(augmentations),
        "in the language": [stays(one, language) for each in augmentations for one in each.augmented[1:]],
    }


def stays(augmented: AugmentedReference, language: str) -> bool:
    """Whether an augmented reference keeps to a language by script and word frequency; its fills alone, too."""
    return not any(is_foreign(text, language) for text in (augmented.text, " ".join(augmented.fills)))


def flagged(example: Example) -> bool:
    """Whether the English default says that a row is in another language."""
    return mismatch("en", example.references[0], example.context)


def robust(scorer: MarsScorer, data: Dataset, scores: Sequence[float | None], attack: str) -> float | None:
    """The share of rows whose original scores higher; of the upper half by ratings, where a text is retrieved.

    Rows of half of the items are spoilt, which is enough for a share and costs less.
    """
    attacked = attack_dataset(Dataset(data.name, data.rows[: len(data) // 2]), attack)
    if not attacked.rows:
        return None
    result = robustness(
        [scores[row] for row in attacked.rows],
        [item.score for item in scorer.score_examples(list(attacked.examples))],
        [data.rows[row].human for row in attacked.rows],
    )
    return result.upper_share if attack == "retrieve" else result.share


def language_table(folder: Path, source: Path) -> str:
    """What was measured, as tables for docs/languages.md; and how often rows are flagged by the English default."""
    found = _stored(folder, "agreement")
    lines = [
        f"| set | rows | {' | '.join(SCORES)} |",
        "|---|---|" + "---|" * len(SCORES),
        *(
            f"| {name} | {one['rows']} | "
            + " | ".join(_both(one["agreement"][score]) for score in SCORES)
            + " |"
            for name, one in found.items()
        ),
    ]
    for title in (*LANGUAGES, ""):
        group = [one for name, one in found.items() if name.startswith(title)]
        means = [_means(group, score) for score in SCORES]
        lines.append(f"| mean{title and f' of {title}'} | | {' | '.join(map(_both, means))} |")
    ahead = sum(_best(one) == "mars" for one in found.values())
    difference = _means(list(found.values()), "mars")[0] - _means(list(found.values()), "chrf")[0]
    lines += [
        "",
        f"By Pearson, `mars` is ahead of ROUGE-L, chrF and BERTScore on {ahead} of {len(found)}; its mean is "
        f"{_number(difference)} above chrF's.",
        "",
        "| set | reorder | retrieve | references augmented | texts in the language |",
        "|---|---|---|---|---|",
    ]
    fills = _stored(folder, "fills")
    for name, one in found.items():
        attacks = " | ".join(_number(one["attacks"][attack]) for attack in ATTACKS)
        kept = fills[name]["in the language"] if name in fills else []
        told = f"{fills[name]['references']} | {sum(kept)} of {len(kept)}" if kept else "- | -"
        lines.append(f"| {name} | {attacks} | {told} |")
    shares = [_mean([one["attacks"][attack] for one in found.values()]) for attack in ATTACKS]
    kept = [each for one in fills.values() for each in one["in the language"]]
    references = sum(one["references"] for one in fills.values())
    told = f"{references} | {sum(kept)} of {len(kept)}" if kept else "- | -"
    lines.append(f"| all | {' | '.join(map(_number, shares))} | {told} |")
    return "\n".join([*lines, "", _flags_of_all(source)])


def _stored(folder: Path, what: str) -> dict[str, Any]:
    """What was kept, by set and language."""
    return {
        f"{name} {language}": json.loads(path.read_text("utf-8"))
        for name, languages in LANGUAGES.items()
        for language in languages
        if (path := folder / f"{name}-{language}-{what}.json").is_file()
    }


def _flags_of_all(source: Path) -> str:
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


def _means(found: Sequence[dict[str, Any]], score: str) -> list[float]:
    pairs = [one["agreement"][score] for one in found]
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
