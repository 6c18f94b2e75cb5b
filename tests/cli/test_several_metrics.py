"""Several metrics in one run of the command line."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mars_score.metrics.bleu import Bleu
from mars_score.metrics.registry import METRICS
from mars_score.metrics.ter import Ter
from mars_score.types import Example

if TYPE_CHECKING:
    from .conftest import CommandLine

ROWS = [
    {"id": "a", "candidate": "The mill burned down.", "reference": "The old mill burned to the ground."},
    {"id": "b", "candidate": "", "reference": "Nobody was hurt."},
    {"id": "c", "candidate": "Nobody was hurt. #relief", "reference": "Nobody was hurt."},
]
NAMES = ["bleu1", "ter", "candidate_length"]


@pytest.fixture(autouse=True)
def rows(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", ROWS)


def test_rows_have_a_number_for_each_metric(cli: CommandLine) -> None:
    result = cli("score", "rows.jsonl", "--metric", ",".join(NAMES))
    assert result.code == 0
    examples = [
        Example("a", ROWS[0]["candidate"], (ROWS[0]["reference"],)),
        Example("b", "", (ROWS[1]["reference"],)),
        Example("c", "Nobody was hurt.", (ROWS[2]["reference"],)),
    ]
    columns: dict[str, list[float | None]] = {
        "bleu1": [value.score for value in Bleu(1).score(examples)],
        "ter": [value.score for value in Ter().score(examples)],
        "candidate_length": [4.0, 0.0, 3.0],
    }
    for index, row in enumerate(result.rows):
        assert list(row) == ["id", "scores", "flags"]
        assert row["scores"] == {name: columns[name][index] for name in NAMES}
    assert [row["flags"] for row in result.rows] == [[], ["empty_candidate"], ["cleaned"]]


def test_a_file_with_its_signatures_and_means(cli: CommandLine) -> None:
    result = cli("score", "rows.jsonl", "--metric", ",".join(NAMES), "-o", "out.csv")
    assert (result.code, result.out) == (0, "")
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == ["id", *NAMES, "flags"]
    assert [float(row["candidate_length"]) for row in table] == [4, 0, 3]
    sidecar = json.loads(Path("out.csv.signatures.json").read_text(encoding="utf-8"))
    assert list(sidecar["signatures"]) == NAMES
    assert all(sidecar["signatures"][name].startswith(f"{name}:v") for name in NAMES)
    assert sidecar["means"]["candidate_length"] == pytest.approx(7 / 3)
    said = result.err.splitlines()
    assert "3 rows, mean candidate_length 2.3333" in said
    assert f"signature of ter: {sidecar['signatures']['ter']}" in said


def test_a_table_of_several_metrics(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    result = cli("score", "rows.jsonl", "--metric", ",".join(NAMES), "--format", "table")
    lines = result.out.splitlines()
    assert lines[0].split()[:2] == ["id", "bleu1"]
    assert "ter (lower is better)" in lines[0]
    assert "2.3333" in next(line for line in lines if line.startswith("mean"))
    assert sum(line.startswith("signature of ") for line in lines) == len(NAMES)


def test_an_undefined_score_is_null_and_left_out_of_the_mean(cli: CommandLine, light: None) -> None:
    """No row here has a context."""
    result = cli("score", "rows.jsonl", "--metric", "context_cosine", "-o", "out.jsonl")
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["scores"]["context_cosine"] for row in rows] == [None, 0.0, None]
    assert result.err.splitlines()[0] == "3 rows, mean context_cosine 0.0000 (2 rows undefined)"


def test_rows_without_references_are_for_metrics_that_read_none(cli: CommandLine) -> None:
    rows = [
        {"candidate": "Two words"},
        {"candidate": "One", "references": []},
        {"candidate": "", "reference": None},
    ]
    Path("alone.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    result = cli("score", "alone.jsonl", "--metric", "candidate_length")
    assert [json.loads(line)["scores"]["candidate_length"] for line in result.out.splitlines()] == [2, 1, 0]
    for names in ("bleu1", "candidate_length,mars"):
        refused = cli("score", "alone.jsonl", "--metric", names)
        assert (refused.code, refused.out) == (2, "")
        assert "alone.jsonl:1: no field 'references' or 'reference'" in refused.err
        assert "--metric mars_context" in refused.err
    named = cli("score", "alone.jsonl", "--metric", "candidate_length", "--field", "references=gold")
    assert "no field 'gold' (mapped as references)" in named.err


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("bleu1,rouge", "unknown metric 'rouge'; there are mars, "),
        (",", "no metric is named; mars-score metrics lists them"),
    ],
)
def test_a_wrong_name(cli: CommandLine, names: str, said: str) -> None:
    result = cli("score", "rows.jsonl", "--metric", names)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_the_list_of_metrics(cli: CommandLine) -> None:
    result = cli("metrics")
    names = [line.split()[0] for line in result.out.splitlines()]
    assert names == ["name", *METRICS]
    for line, entry in zip(result.out.splitlines()[1:], METRICS.values(), strict=True):
        _, better, reads, models, summary = re.split(r"\s{2,}", line)
        assert better == ("higher" if entry.higher_is_better else "lower")
        assert (reads, models, summary) == (
            entry.inputs or "-",
            ", ".join(entry.models) or "-",
            entry.summary,
        )
