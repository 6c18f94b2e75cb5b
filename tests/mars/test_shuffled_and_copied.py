"""Shuffled and copied texts stay below honest ones: our own texts, and the example that the paper begins with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mars_score.config import preset
from mars_score.io.readers import read_examples
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo.jsonl"
PAPER = ROOT.parent / "shared" / "paper.tex"
SPOILT = ("reordered", "copied", "weak", "empty")
ROWS = {row.id: row for row in read_examples(DEMO)}
PAIRS = [
    (row.id.split("/")[0], row.id.split("/")[1]) for row in ROWS.values() if row.id.split("/")[1] in SPOILT
]


@pytest.fixture(scope="module")
def scores(scorer: MarsScorer) -> dict[str, float]:
    return {item.id: item.score for item in scorer.score_examples(list(ROWS.values()))}


@pytest.mark.parametrize(("item", "kind"), PAIRS)
def test_the_good_one_scores_higher(item: str, kind: str, scores: dict[str, float]) -> None:
    assert scores[f"{item}/good"] > scores[f"{item}/{kind}"] + 0.05


@pytest.mark.parametrize(("item", "kind"), PAIRS)
def test_so_it_does_with_the_preset_of_its_task(item: str, kind: str, scorer: MarsScorer) -> None:
    config = preset(item.split("-", maxsplit=1)[0])
    scoring = {
        name: getattr(config.scoring, name)
        for name in ("words", "match", "relevance", "fluency", "copying", "echo", "cap")
    }
    task = scorer.with_options(ratios=config.masking.ratios, **scoring)
    good, spoilt = task.score_examples([ROWS[f"{item}/good"], ROWS[f"{item}/{kind}"]]).scores
    assert good > spoilt + 0.05


def test_a_copied_lead_sentence_is_a_good_summary_to_the_metric(scores: dict[str, float]) -> None:
    """Known, and hardly wrong: the first sentence of a report says what the reference says."""
    assert scores["summary-bridge/copied-lead"] > scores["summary-bridge/good"]


def of_the_paper() -> dict[str, Example]:
    """Read the example of the paper's first table, where the paper is at hand."""
    if not PAPER.is_file():
        pytest.skip(f"the paper is not at {PAPER}")
    table = PAPER.read_text("utf-8").partition(r"\textbf{Context.}")[2].partition(r"\end{table*}")[0]
    context = table.partition(r"\end{tabular}")[0].replace(r"\\", " ").strip()

    def named(name: str) -> str:
        found = re.search(rf"\\textbf{{{name}\.}}\s*(.*?)\s*&", table)
        assert found, name
        return found[1]

    reference = (named("Human Reference"),)
    return {
        name: Example(name, named(name), reference, context) for name in ("Candidate", "Reorder", "Retrieve")
    }


@pytest.mark.parametrize("name", ["general", "story"])
@pytest.mark.parametrize("adversary", ["Reorder", "Retrieve"])
def test_the_first_example_of_the_paper(name: str, adversary: str, scorer: MarsScorer) -> None:
    rows = of_the_paper()
    task = scorer.with_options(relevance=preset(name).scoring.relevance)
    assert task.config == preset(name)
    candidate, spoilt = task.score_examples([rows["Candidate"], rows[adversary]]).scores
    assert candidate > spoilt
