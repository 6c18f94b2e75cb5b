"""The data sets of human judgements, where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mars_score.errors import InputError
from mars_score.io.datasets.base import PAPER_NEWSROOM, select, statistics
from mars_score.io.datasets.loading import load_dataset

DATA = Path(__file__).parents[3].parent / "shared" / "data"
COUNTS = {
    # name: rows, items, systems, ratings, raters, references left out
    "newsroom": (420, 60, 7, 1260, (3, 3), 0),
    "mans_roc": (1000, 200, 5, 5000, (5, 5), 0),
    "kpqa_semeval_mcscript": (300, 300, 1, 0, (0, 0), 0),
    "kpqa_narrativeqa": (500, 500, 1, 0, (0, 0), 0),
    "usr_personachat": (240, 60, 4, 720, (3, 3), 60),
    "grade": (1200, 554, 4, 11910, (8, 11), 0),
    "summeval": (1600, 100, 16, 0, (0, 0), 0),
    "huse_summarization": (100, 99, 1, 2000, (20, 20), 100),
    "dialsummeval": (1300, 100, 13, 3900, (3, 3), 100),
    "kpqa_marco": (1000, 500, 2, 0, (0, 0), 0),
    "multisummeval": (1350, 674, 2, 0, (0, 0), 0),
    "nextchapter_roc": (240, 40, 6, 0, (0, 0), 0),
    "qgeval": (2800, 200, 14, 8397, (0, 3), 200),
    "xdial_persona": (1440, 360, 4, 0, (0, 0), 0),
}
"""From the files' own description; where that says nothing, counted in the files without these loaders."""
TEXT_ONLY = ("roc_storyendgen_val_test", "storycloze2016_val")

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data sets in {DATA}")


def test_every_file_is_tested() -> None:
    assert {path.stem for path in DATA.glob("*.jsonl")} == {*COUNTS, *TEXT_ONLY}


@pytest.mark.parametrize("name", COUNTS)
def test_a_data_set_is_loaded_whole(name: str) -> None:
    dataset = load_dataset(DATA / f"{name}.jsonl")
    result = statistics(dataset)
    counted = (
        result.rows,
        result.items,
        len(result.systems),
        result.ratings,
        result.raters,
        dataset.references_left_out,
    )
    assert counted == COUNTS[name]
    with open(DATA / f"{name}.jsonl", encoding="utf-8") as lines:
        raw = [row for row in map(json.loads, lines) if not row.get("is_reference")]
    for row, values in zip(dataset, raw, strict=True):
        assert (row.id, row.system, row.task) == (values["id"], values["system"], values["task"])
        assert (row.human, dict(row.aspects)) == (values["human"], values["aspects"] or {})
        assert list(row.ratings) == (values["ratings"] or [])
        assert row.example.question == (values["question"] or "")
        assert row.lang == values.get("lang", "")


@pytest.mark.parametrize(
    ("name", "langs"), [("multisummeval", "de fr id tr zh"), ("xdial_persona", "ar de fr hi ja zh")]
)
def test_languages_are_told_apart(name: str, langs: str) -> None:
    dataset = load_dataset(DATA / f"{name}.jsonl")
    parts = [select(dataset, langs=[lang]) for lang in langs.split()]
    assert sum(map(len, parts)) == len(dataset)
    assert all(len(part) == len(dataset) // len(parts) for part in parts)


@pytest.mark.parametrize("name", TEXT_ONLY)
def test_text_without_ratings(name: str) -> None:
    with pytest.raises(InputError, match="no row has a human rating"):
        load_dataset(DATA / f"{name}.jsonl")


def test_newsroom_is_as_in_table_2() -> None:
    result = statistics(select(load_dataset(DATA / "newsroom.jsonl"), PAPER_NEWSROOM))
    assert (result.rows, result.ratings) == (180, 540)
    # The paper: 772.21, 34.70 and 22.3, with a tokenizer that it does not name.
    assert result.context_length == pytest.approx(772.21, rel=0.03)
    assert result.reference_length == pytest.approx(34.70, rel=0.03)
    assert result.omega == pytest.approx(22.3, abs=0.2)
