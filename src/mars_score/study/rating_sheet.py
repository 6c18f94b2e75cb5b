"""The blinded sheet on which people rate references: as written, refilled by the baseline, refilled by MARS."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.examples import clean_examples
from mars_score.files.render import escape
from mars_score.hashing import digest
from mars_score.progress import StageProgress, silent_stages
from mars_score.study.ratings_file import QUESTIONS, VARIANTS
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mars_score.datasets.base import Dataset
    from mars_score.scorer import MarsScorer

SHEET = ("code", "context", "text", "rater", *QUESTIONS)
KEY = ("code", "item", "variant", "text")
_CODE = 8
"""Digits of a code: with a hundred texts, two alike are a case of one in a million."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A text to rate."""

    code: str
    """All that raters see of where the text comes from."""
    item: str
    variant: str
    context: str
    text: str


def choose_items(dataset: Dataset, count: int, seed: int) -> list[Example]:
    """Draw items: a context with its reference, of several the first by alphabet. The order of rows does not matter."""
    items: dict[str, Example] = {}
    for row in dataset:
        example = row.example
        items.setdefault(
            row.item, Example(row.item, "", (min(example.references),), example.context, example.question)
        )
    drawn = sorted(items, key=lambda item: digest("rating sheet", seed, item))[:count]
    return [items[item] for item in drawn]


def sheet_rows(
    examples: Sequence[Example], scorer: MarsScorer, seed: int, progress: StageProgress = silent_stages
) -> list[SheetRow]:
    """Augment the references by MARS and by the baseline, and shuffle; the highest masking ratio's texts are shown."""
    cleaned = clean_examples(examples)
    scorers = {"naive": scorer.sibling(infiller="naive"), "mars": scorer.sibling(infiller="guided")}
    texts = {"original": {example.id: example.references[0] for example in cleaned}}
    for variant, one in scorers.items():
        found = one.augment_examples(examples, progress=progress)
        texts[variant] = {
            example.id: max(found[example.pairs[0]].augmented, key=lambda term: term.ratio).text
            for example in cleaned
        }
    rows = [
        SheetRow(
            digest("code", seed, example.id, variant).hex()[:_CODE],
            example.id,
            variant,
            example.context,
            texts[variant][example.id],
        )
        for example in cleaned
        for variant in VARIANTS
    ]
    # Codes are hashes: their order is random, and says nothing of items or variants.
    return sorted(rows, key=lambda row: row.code)


def sheet_text(rows: Iterable[SheetRow]) -> str:
    """Return the sheet as csv, safe to open in a spreadsheet, with empty columns for the rater and the ratings."""
    return _csv(SHEET, ([row.code, row.context, row.text, "", *[""] * len(QUESTIONS)] for row in rows))


def key_text(rows: Iterable[SheetRow]) -> str:
    """Return what the codes stand for, as csv."""
    return _csv(KEY, ([row.code, row.item, row.variant, row.text] for row in rows))


def _csv(header: Iterable[str], rows: Iterable[list[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(escape, row) for row in rows)
    return text.getvalue()
