"""Shuffled and weak texts stay below honest ones: our own texts, and the example that the paper begins with.

A copy of the context need not: what is copied is said beside the score (`copied`, and a flag), and costs nothing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mars_score import flags
from mars_score.config import preset
from mars_score.io.readers import read_examples
from mars_score.mars.score import NEARLY_ALL
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import ItemScore

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo.jsonl"
PAPER = ROOT.parent / "shared" / "paper.tex"
SPOILT = ("reordered", "weak", "empty")
ROWS = {row.id: row for row in read_examples(DEMO)}
PAIRS = [
    (row.id.split("/")[0], row.id.split("/")[1]) for row in ROWS.values() if row.id.split("/")[1] in SPOILT
]


COPIES = [row.id for row in ROWS.values() if row.id.split("/")[1].startswith("copied")]


@pytest.fixture(scope="module")
def items(scorer: MarsScorer) -> dict[str, ItemScore]:
    return {item.id: item for item in scorer.score_examples(list(ROWS.values()))}


@pytest.mark.parametrize(("item", "kind"), PAIRS)
def test_the_good_one_scores_higher(item: str, kind: str, items: dict[str, ItemScore]) -> None:
    assert items[f"{item}/good"].score > items[f"{item}/{kind}"].score + 0.05


@pytest.mark.parametrize(("item", "kind"), PAIRS)
def test_so_it_does_with_the_preset_of_its_task(item: str, kind: str, scorer: MarsScorer) -> None:
    config = preset(item.split("-", maxsplit=1)[0])
    task = scorer.with_options(ratios=config.masking.ratios)
    assert task.config == config
    good, spoilt = task.score_examples([ROWS[f"{item}/good"], ROWS[f"{item}/{kind}"]]).scores
    assert good > spoilt + 0.05


@pytest.mark.parametrize("name", COPIES)
def test_what_is_copied_is_said(name: str, items: dict[str, ItemScore]) -> None:
    assert items[name].copied >= NEARLY_ALL
    assert flags.COPIED in items[name].flags
    assert items[f"{name.partition('/')[0]}/good"].copied < NEARLY_ALL


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


def test_the_first_example_of_the_paper(scorer: MarsScorer) -> None:
    rows = of_the_paper()
    candidate, reordered, copied = scorer.score_examples(
        [rows["Candidate"], rows["Reorder"], rows["Retrieve"]]
    )
    assert candidate.score > reordered.score
    assert copied.copied > candidate.copied
