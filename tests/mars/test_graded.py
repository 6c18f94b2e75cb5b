"""Thirty items of our own writing, six tasks, each with a good, a fair and a bad candidate (`graded.jsonl`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer

ITEMS = [
    json.loads(line) for line in Path(__file__).with_name("graded.jsonl").read_text("utf-8").splitlines()
]
GRADES = ("good", "fair", "bad")
LEAST = 19
"""Items whose three candidates must come out in order. 20 do, and 12 by BERTScore: a vague text that is not wrong may
still lose against one that is wrong in the reference's own words (docs/accuracy.md)."""


@pytest.mark.models
def test_good_is_above_fair_and_fair_above_bad(scorer: MarsScorer) -> None:
    rows = [
        Example(
            f"{item['id']}/{grade}",
            item[grade],
            (item["reference"],),
            f"{item['context']}\n{item['question']}".strip(),
            item["question"],
        )
        for item in ITEMS
        for grade in GRADES
    ]
    # Human references alone: what is tried here is the formula, and nothing has to be written for it.
    scores = {row.id: row.score for row in scorer.with_options(ratios=()).score_examples(rows)}
    wrong, worse = [], []
    for item in ITEMS:
        good, fair, bad = (scores[f"{item['id']}/{grade}"] for grade in GRADES)
        wrong += [] if good > fair > bad else [item["id"]]
        worse += [] if good > bad else [item["id"]]
    assert len(ITEMS) - len(wrong) >= LEAST, wrong
    assert len(worse) <= 1, worse
