"""Golden scores: what the default settings gave when this version was made.

`doctor` computes them again and compares. The numbers live in golden.json, written by `tools/make_golden.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mars_score.types import Example, ItemScore

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer

TOLERANCE = 1e-5
"""What docs/reliability.md promises between processors, which differ in the seventh digit. A difference beyond this is
a different program."""

EXAMPLES = (
    Example(
        "lighthouse",
        "The keeper rowed out in the dark and pulled both of them from the water.",
        ("The keeper heard their whistle and brought them safely to the shore.",),
        "Two brothers took a small boat out to fish. By evening a storm had turned it over. They held on to the "
        "keel and blew a whistle. The lamp of the lighthouse swept across the waves.",
    ),
    Example(
        "library",
        "The city will keep its main library open until midnight during the exam weeks.",
        (
            "Students may use the central library until midnight in January and June.",
            "The central library stays open late when exams are near.",
        ),
        "The city council decided on Tuesday that the central library will stay open until midnight in January and "
        "June, when most examinations are held. The longer hours cost 40,000 a year and were asked for by students.",
    ),
    Example(
        "recipe",
        "Because the oven was broken.",
        ("The oven did not work.",),
        "Ama wanted to bake bread on Sunday. She mixed the dough and let it rise, but the oven stayed cold. She made "
        "flat cakes in a pan instead.\nWhy did she use a pan?",
    ),
)
"""Texts of our own, one for each of the paper's tasks."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One golden example, computed again."""

    id: str
    expected: float
    actual: float
    same_texts: bool
    """Whether the augmented references are the same to the letter."""

    @property
    def agrees(self) -> bool:
        """Whether this installation computes what it should."""
        return self.same_texts and abs(self.expected - self.actual) <= TOLERANCE


def record(item: ItemScore) -> dict[str, Any]:
    """What is kept of a score."""
    return {"id": item.id, "score": item.score, "augmented": [term.text for term in item.augmented]}


def expected() -> dict[str, Any]:
    """Read golden.json: the signature and the recorded scores."""
    data: dict[str, Any] = json.loads(files("mars_score").joinpath("golden.json").read_text("utf-8"))
    return data


def examine(scorer: MarsScorer) -> list[Verdict]:
    """Score the golden examples and compare."""
    wanted = {item["id"]: item for item in expected()["items"]}
    verdicts = []
    for item in scorer.score_examples(EXAMPLES):
        golden, actual = wanted[item.id], record(item)
        same = golden["augmented"] == actual["augmented"]
        verdicts.append(Verdict(item.id, golden["score"], item.score, same))
    return verdicts
