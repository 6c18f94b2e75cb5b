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
LEAST = 24
"""Items whose three candidates come out in order."""


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
    scores = {row.id: row.score for row in scorer.score_examples(rows)}
    wrong = []
    for item in ITEMS:
        good, fair, bad = (scores[f"{item['id']}/{grade}"] for grade in GRADES)
        if not good > fair > bad:
            wrong.append(item["id"])
    assert len(ITEMS) - len(wrong) >= LEAST, wrong
