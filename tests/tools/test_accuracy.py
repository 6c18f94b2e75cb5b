"""The protocol of docs/accuracy.md: whole items are sampled, and a fold chooses on other sets than it reports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from accuracy.beside import augmented_table, encoder_table, same_sets
from accuracy.compare import DEFAULT, FAST, GRID, Measured, leave_one_out, report, write
from accuracy.features import sample

from mars_score.config import preset
from tests.study.toys import dataset

ROOT = Path(__file__).parents[2]


def measured(folder: Path, name: str, seed: int, *, helps: str) -> Measured:
    """A set on which people agree with one term alone."""
    random = np.random.default_rng(seed)
    columns = {term: random.normal(size=120) for term in ("formula", *DEFAULT)}
    columns["copied"] = np.zeros(120)
    columns["facts"] = -random.integers(0, 3, 120).astype(float)
    rows = {term: [float(value) for value in values] for term, values in columns.items()}
    human = [float(value) for value in columns[helps] + 0.1 * random.normal(size=120)]
    path = folder / f"{name}.json"
    items = [f"item {number // 6}" for number in range(120)]
    path.write_text(json.dumps({"item": items, "human": human, **rows}), encoding="utf-8")
    return Measured(path)


def test_the_weights_are_those_of_the_default() -> None:
    for name, weights in (("general", DEFAULT), ("fast", FAST)):
        scoring = preset(name).scoring
        assert {term: getattr(scoring, term) for term in weights} == weights


def test_items_are_sampled_whole_and_by_no_choice_of_ours() -> None:
    rows = list(dataset(12, "toy"))
    chosen = sample(rows, 5)
    assert chosen == sample(rows[::-1], 5) or {row.item for row in chosen} == {
        row.item for row in sample(rows[::-1], 5)
    }
    assert len(chosen) >= 5
    for item in {row.item for row in chosen}:
        assert [row for row in chosen if row.item == item] == [row for row in rows if row.item == item]


def test_scores_follow_the_formula(tmp_path: Path) -> None:
    data = measured(tmp_path, "toy", 1, helps="formula")
    first = {name: data.columns[name][0] for name in ("formula", *DEFAULT)}
    expected = 0.3 * first["formula"] + 0.7 * first["words"] + 0.8 * first["relevance"]
    expected += 0.2 * first["fluency"] + 0.1 * first["facts"] + 0.25 * first["likelihood"]
    assert data.scores(DEFAULT)[0] == pytest.approx(expected)
    assert data.scores({}) == data.columns["formula"]


def test_a_fold_chooses_on_the_others_alone(tmp_path: Path) -> None:
    """Two sets reward relevance and one does not: left out, it gets what the others chose."""
    sets = {
        "a": measured(tmp_path, "a", 1, helps="relevance"),
        "b": measured(tmp_path, "b", 2, helps="relevance"),
        "c": measured(tmp_path, "c", 3, helps="fluency"),
    }
    chosen = leave_one_out(sets, reads=False)
    assert chosen["c"][0]["relevance"] == max(GRID["relevance"])
    assert chosen["c"][1] == sets["c"].agreement(list(sets["c"].scores(chosen["c"][0])))


def test_the_report_names_every_set_and_formula(tmp_path: Path) -> None:
    data = measured(tmp_path, "grade", 1, helps="relevance")
    for metric in (
        "human_reference",
        "bleu1",
        "meteor",
        "rougeL",
        "sentence_mover",
        "moverscore",
        "bertscore",
        "perplexity",
        "naive",
        "chrf",
    ):
        data.columns[metric] = data.columns["formula"]
    (tmp_path / "grade.json").write_text(json.dumps(data.columns), encoding="utf-8")
    (tmp_path / "qgeval.json").write_text(json.dumps(data.columns), encoding="utf-8")
    compared = report(tmp_path)
    text = compared.tables
    assert "| | grade | qgeval | mean |" in text
    assert "| default without facts |" in text
    assert "- grade: words" in text
    assert "| default | " in compared.summary


def test_two_encoders_are_compared_on_the_rows_that_both_have(tmp_path: Path) -> None:
    for encoder, seed in (("small", 1), ("large", 2)):
        folder = tmp_path / encoder
        folder.mkdir()
        data = measured(folder, "grade", seed, helps="formula")
        data.columns["signature"] = f"mars.1|enc:{encoder}-l6@0123|refs:best"
        kept = data.columns if encoder == "small" else data.first(60).columns
        (folder / "grade.json").write_text(json.dumps(kept), encoding="utf-8")
    table = encoder_table(tmp_path / "small", tmp_path / "large")
    assert "| rows | 60 | |" in table
    assert "| Eq. 7, small-l6 | " in table
    assert "| default, large-l6 | " in table
    folders = [tmp_path / "small", tmp_path / "large"]
    (one, other), whole = same_sets(folders)["grade"], Measured(tmp_path / "small" / "grade.json")
    assert one.columns["human"] == whole.columns["human"][:60]
    assert len(other.columns["human"]) == 60
    whole.columns["item"] = whole.columns["item"][::-1]
    (tmp_path / "small" / "grade.json").write_text(json.dumps(whole.columns), encoding="utf-8")
    with pytest.raises(SystemExit, match="different rows"):
        same_sets(folders)


def test_augmented_references_are_held_beside_human_ones(tmp_path: Path) -> None:
    for name, term in (("human-alone", "fluency"), ("without-context", "formula")):
        (tmp_path / name).mkdir()
        measured(tmp_path / name, "grade", 1, helps=term)
    table = augmented_table([tmp_path / "human-alone", tmp_path / "without-context"])
    assert "| Eq. 7, human alone | " in table
    (line,) = (line for line in table.splitlines() if line.startswith("| without context | grade |"))
    gain, low, high = (float(number) for number in re.findall(r"[+-][.\d]+", line)[:3])
    assert low <= gain <= high
    assert gain > 0


def test_tables_go_into_their_block(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!--compare-->\nold\n<!--/compare-->\nafter\n", encoding="utf-8")
    write("new", page, "compare")
    assert page.read_text("utf-8") == "before\n<!--compare-->\nnew\n<!--/compare-->\nafter\n"
    with pytest.raises(SystemExit, match=r"page\.md has no block attacks"):
        write("new", page, "attacks")


def test_the_pages_have_the_blocks() -> None:
    assert "<!--agreement-->\n" in (ROOT / "README.md").read_text("utf-8")
    accuracy = (ROOT / "docs" / "accuracy.md").read_text("utf-8")
    assert all(f"<!--{block}-->\n" in accuracy for block in ("compare", "encoders", "augmented", "attacks"))
