"""Running a command again: it resumes where it stopped, or says why it cannot."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow.parquet
import pytest

from mars_score.cli import running
from mars_score.fingerprint import ALGORITHM
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics.registry import make_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.metrics.base import Metric
    from mars_score.types import Augmentation, Example, Pair, ScoreResult

    from .conftest import CommandLine, Result

pytestmark = pytest.mark.usefixtures("light")

COUNT, CHUNK = 23, 5
FORMATS = ["jsonl", "csv", "tsv", "parquet"]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("score", "augment"):
        monkeypatch.setattr(f"mars_score.cli.{module}.CHUNK", CHUNK)
    assert running.CHUNK > CHUNK


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of all rows that were scored, or whose references were augmented."""
    ids: list[str] = []
    score, augment = MarsScorer.score_cleaned, MarsScorer.augment_examples

    def scoring(self: MarsScorer, examples: Sequence[Example], **options: Any) -> ScoreResult:
        ids.extend(example.id for example in examples)
        return score(self, examples, **options)

    def augmenting(self: MarsScorer, examples: Sequence[Example], **options: Any) -> dict[Pair, Augmentation]:
        ids.extend(example.id for example in examples)
        return augment(self, examples, **options)

    monkeypatch.setattr(MarsScorer, "score_cleaned", scoring)
    monkeypatch.setattr(MarsScorer, "augment_examples", augmenting)
    return ids


def rows(count: int = COUNT) -> list[dict[str, Any]]:
    """Rows with scores that differ, ids that need quotes, and flags."""
    return [
        {
            "id": f'"{n},\n\t',
            "candidate": "abcdefghijklmnopqrstuvwxyz"[: n % 26],
            "reference": f"the reference {n // 2}",
            "context": "once upon a time" if n % 3 else "",
        }
        for n in range(count)
    ]


@pytest.fixture(autouse=True)
def given(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows())


def sidecar(output: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path(f"{output}.signatures.json").read_text(encoding="utf-8"))
    return content


def unfinished(output: str) -> None:
    """Make the file beside an output what it is while a run goes on."""
    content = sidecar(output)
    for key in ("rows", "means", "references"):
        content.pop(key, None)
    Path(f"{output}.signatures.json").write_text(json.dumps(content), encoding="utf-8")


def refused(result: Result, output: str, *says: str) -> None:
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {output}: cannot be continued: ")
    assert "\n  remedy: begin anew with --restart, which overwrites it, or name another file\n" in result.err
    assert [part for part in says if part not in result.err] == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("left", [0, 1, 0.1, 0.35, 0.5, 0.77, -1])
def test_killed_at_any_byte(cli: CommandLine, scored: list[str], form: str, left: float) -> None:
    whole, output = f"whole.{form}", f"out.{form}"
    first = cli("score", "rows.jsonl", "-o", whole)
    shutil.copy(f"{whole}.signatures.json", f"{output}.signatures.json")
    unfinished(output)
    if form == "parquet":  # whose rows are kept as JSON lines until the end
        cli("score", "rows.jsonl", "-o", "whole.jsonl")
    content = Path("whole.jsonl" if form == "parquet" else whole).read_bytes()
    size = int(left * len(content)) if 0 < left < 1 else int(left) % len(content)
    torn = Path(f"{output}.partial.jsonl" if form == "parquet" else output)
    torn.write_bytes(content[:size])
    ids = [row["id"] for row in rows()]
    finished = (
        len([id for id in ids if json.dumps(id).encode() in content[:size]]) if form == "jsonl" else None
    )
    scored.clear()
    again = cli("score", "rows.jsonl", "-o", output)
    assert (again.code, again.out) == (0, "")
    if form == "parquet":
        assert pyarrow.parquet.read_table(output).equals(pyarrow.parquet.read_table(whole))
        assert not torn.exists()
    else:
        assert Path(output).read_bytes() == content
    assert sidecar(output) == sidecar(whole)
    assert scored == ids[len(ids) - len(scored) :]
    if finished is not None:
        # The last of those that were found may be torn off.
        assert COUNT - len(scored) in (finished, finished - 1)
    messages = [
        line for line in again.err.splitlines() if not line.startswith(("resuming", "signatures are in"))
    ]
    assert messages == [line for line in first.err.splitlines() if not line.startswith("signatures are in")]


@pytest.mark.parametrize("form", FORMATS)
def test_stopped_half_way(
    cli: CommandLine, scored: list[str], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    cli("score", "rows.jsonl", "-o", f"whole.{form}")
    scored.clear()
    watched = MarsScorer.score_cleaned

    def impatient(self: MarsScorer, examples: Sequence[Example], **options: Any) -> ScoreResult:
        if len(scored) >= 2 * CHUNK:
            raise KeyboardInterrupt
        return watched(self, examples, **options)

    with monkeypatch.context() as patch:
        patch.setattr(MarsScorer, "score_cleaned", impatient)
        stopped = cli("score", "rows.jsonl", "-o", f"out.{form}", "--restart", short=True)
    assert stopped.code == 130
    assert f"complete: {2 * CHUNK} in out.{form}" in stopped.err
    assert stopped.err.endswith(f"to resume: mars-score score rows.jsonl -o out.{form}\n")
    again = cli("score", "rows.jsonl", "-o", f"out.{form}")
    assert again.err.startswith(f"resuming after {2 * CHUNK} of {COUNT} rows in out.{form}\n")
    assert scored == [row["id"] for row in rows()]
    if form == "parquet":
        assert pyarrow.parquet.read_table("out.parquet").equals(pyarrow.parquet.read_table("whole.parquet"))
    else:
        assert Path(f"out.{form}").read_bytes() == Path(f"whole.{form}").read_bytes()
    assert sidecar(f"out.{form}") == sidecar(f"whole.{form}")


@pytest.mark.parametrize("form", FORMATS)
def test_a_finished_output_needs_no_model(
    cli: CommandLine, scored: list[str], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    first = cli("score", "rows.jsonl", "-o", f"out.{form}")
    content, beside = Path(f"out.{form}").read_bytes(), sidecar(f"out.{form}")
    scored.clear()

    def loaded(scorer: MarsScorer) -> NoReturn:
        raise AssertionError("a model was loaded")

    for part in ("tagger", "infiller", "encoder"):
        monkeypatch.setattr(MarsScorer, part, property(loaded))
    again = cli("score", "rows.jsonl", "-o", f"out.{form}")
    assert (again.code, again.out) == (0, "")
    assert again.err == f"all {COUNT} rows are in out.{form}; there is nothing to compute\n{first.err}"
    assert (Path(f"out.{form}").read_bytes(), sidecar(f"out.{form}")) == (content, beside)
    assert scored == []


def test_restart(cli: CommandLine, scored: list[str]) -> None:
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    cli.put_rows("rows.jsonl", rows(8))
    scored.clear()
    again = cli("score", "rows.jsonl", "-o", "out.jsonl", "--restart")
    assert again.code == 0
    assert scored == [row["id"] for row in rows(8)]
    assert len(Path("out.jsonl").read_text(encoding="utf-8").splitlines()) == 8
    assert sidecar("out.jsonl")["rows"] == 8


@pytest.mark.parametrize("change", ["a text", "an id", "one more row", "one row less", "two rows swapped"])
def test_other_rows(cli: CommandLine, change: str) -> None:
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    before, changed = Path("out.jsonl").read_bytes(), rows()
    if change == "a text":
        changed[-1]["context"] += "."
    elif change == "an id":
        changed[-1]["id"] = "another"
    elif change == "two rows swapped":
        changed[3], changed[4] = changed[4], changed[3]
    cli.put_rows(
        "rows.jsonl",
        rows(COUNT + 1) if change == "one more row" else changed[: -1 if "less" in change else None],
    )
    refused(
        cli("score", "rows.jsonl", "-o", "out.jsonl"), "out.jsonl", "it was made from other rows (rows.jsonl)"
    )
    assert Path("out.jsonl").read_bytes() == before


def test_the_same_rows_in_another_file(cli: CommandLine) -> None:
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    lines = [json.dumps(dict(reversed(row.items()))) for row in rows()]
    cli.put("copy.json", f"[{', '.join(lines)}]")
    assert "all 23 rows are in out.jsonl" in cli("score", "copy.json", "-o", "out.jsonl").err


def test_other_settings(cli: CommandLine) -> None:
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    other = cli("score", "rows.jsonl", "-o", "out.jsonl", "--set", "q=0.9")
    refused(
        other, "out.jsonl", "mars was computed otherwise", "\n  there: mars:augment.v", "|q:0.8|", "|q:0.9|"
    )
    other = cli("score", "rows.jsonl", "-o", "out.jsonl", "--metric", "mars,bleu1")
    refused(other, "out.jsonl", "it has mars; this run has mars, bleu1")
    # What cannot change a score may differ.
    assert cli("score", "rows.jsonl", "-o", "out.jsonl", "--memory", "1G").code == 0


def test_a_file_that_nobody_knows(cli: CommandLine) -> None:
    cli.put("out.jsonl", "my notes")
    refused(cli("score", "rows.jsonl", "-o", "out.jsonl"), "out.jsonl", "no out.jsonl.signatures.json tells")
    assert Path("out.jsonl").read_text() == "my notes"
    cli.put("out.jsonl", "")
    assert cli("score", "rows.jsonl", "-o", "out.jsonl").code == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            '{"id": "x", "scores": {"mars": 1.0}, "flags": []}\n',
            "its row 1 does not belong to row 1 of the input",
        ),
        ('{"id": "x", "scores": {"bleu1": 1.0}, "flags": []}\n', "it has scores of bleu1, not of mars"),
        ('{"id": 7}\n', "a row that is no row of results"),
        ("[1]\n", "line 1 is no object"),
        ("\0\0\0\n", "line 1 is no JSON"),
    ],
)
def test_a_damaged_output(cli: CommandLine, content: str, says: str) -> None:
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    cli.put("out.jsonl", content)
    refused(cli("score", "rows.jsonl", "-o", "out.jsonl"), "out.jsonl", says)
    assert Path("out.jsonl").read_text() == content


def test_an_output_with_rows_twice(cli: CommandLine) -> None:
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    content = Path("out.jsonl").read_bytes()
    Path("out.jsonl").write_bytes(content + content)
    refused(
        cli("score", "rows.jsonl", "-o", "out.jsonl"), "out.jsonl", "more rows than the input, which has 23"
    )


def test_strict_looks_at_the_rows_that_are_there(cli: CommandLine) -> None:
    assert cli("score", "rows.jsonl", "-o", "out.jsonl").code == 0
    strict = cli("score", "rows.jsonl", "-o", "out.jsonl", "--strict")
    assert strict.code == 2
    assert "is flagged (empty_candidate: " in strict.err


def test_idf_of_the_corpus(cli: CommandLine, scored: list[str]) -> None:
    corpus = ("--set", "idf=corpus")
    cli("score", "rows.jsonl", "-o", "whole.jsonl", *corpus)
    content = Path("whole.jsonl").read_bytes()
    Path("out.jsonl").write_bytes(content[: len(content) // 2])
    shutil.copy("whole.jsonl.signatures.json", "out.jsonl.signatures.json")
    scored.clear()
    assert cli("score", "rows.jsonl", "-o", "out.jsonl", *corpus).code == 0
    assert Path("out.jsonl").read_bytes() == content
    assert 0 < len(scored) < COUNT  # a row's score depends on the references of all, but not on their scores


@pytest.mark.parametrize("stage", ["augment", "score"])
def test_another_algorithm_does_not_go_on(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """Neither with a part of an output nor with all of it: one file never has numbers of two algorithms."""
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    content = Path("out.jsonl").read_bytes()
    monkeypatch.setitem(ALGORITHM, stage, ALGORITHM[stage] + 1)
    for kept in (content, content[: len(content) // 2]):
        Path("out.jsonl").write_bytes(kept)
        refused(cli("score", "rows.jsonl", "-o", "out.jsonl"), "out.jsonl", "mars was computed otherwise")
        assert Path("out.jsonl").read_bytes() == kept


def test_a_release_with_the_same_algorithms_goes_on(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do other libraries refuse anything; they are recorded."""
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    content = Path("out.jsonl").read_bytes()
    Path("out.jsonl").write_bytes(content[: len(content) // 2])
    others = {"mars-score": "9.9.9", "torch": "9.9.9"}
    monkeypatch.setattr("mars_score.io.output.made_with", lambda: others)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "9.9.9")
    assert cli("score", "rows.jsonl", "-o", "out.jsonl").code == 0
    assert Path("out.jsonl").read_bytes() == content
    assert json.loads(Path("out.jsonl.signatures.json").read_text())["made_with"] == others


def test_two_runs_do_not_write_one_file(cli: CommandLine) -> None:
    fcntl = pytest.importorskip("fcntl")
    with open("out.jsonl", "ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        result = cli("score", "rows.jsonl", "-o", "out.jsonl")
    assert result.code == 2
    assert result.err.startswith(
        "error: out.jsonl: another process is writing this file\n  remedy: wait for it"
    )


@pytest.mark.parametrize("left", [0, 0.3, 0.9, 1])
def test_augmented_references(cli: CommandLine, scored: list[str], left: float) -> None:
    cli("augment", "rows.jsonl", "-o", "whole.jsonl")
    content = Path("whole.jsonl").read_bytes()
    references = content.decode().splitlines()
    Path("out.jsonl").write_bytes(content[: int(left * len(content))])
    shutil.copy("whole.jsonl.signatures.json", "out.jsonl.signatures.json")
    unfinished("out.jsonl")
    scored.clear()
    again = cli("augment", "rows.jsonl", "-o", "out.jsonl")
    assert again.code == 0
    assert Path("out.jsonl").read_bytes() == content
    assert sidecar("out.jsonl") == sidecar("whole.jsonl")
    done = int(left * len(content)) and content[: int(left * len(content))].count(b"\n")
    assert len(scored) == len(references) - done
    if left == 1:
        assert again.err.startswith(f"all {len(references)} references are in out.jsonl")


def test_augmented_references_of_other_settings(cli: CommandLine) -> None:
    cli("augment", "rows.jsonl", "-o", "out.jsonl")
    refused(
        cli("augment", "rows.jsonl", "-o", "out.jsonl", "--set", "ratios=0.1"), "out.jsonl", "|ratios:0+0.1|"
    )
    cli("score", "rows.jsonl", "-o", "scores.jsonl")
    refused(cli("augment", "rows.jsonl", "-o", "scores.jsonl"), "scores.jsonl", "does not belong to row 1")


def test_an_input_that_changes_during_the_run(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(name: str, scorer: MarsScorer) -> Metric:
        changed = rows()
        changed[-1]["candidate"] = "changed"
        cli.put_rows("rows.jsonl", changed)
        return make_metric(name, scorer)

    monkeypatch.setattr("mars_score.cli.score.make_metric", meanwhile)
    result = cli("score", "rows.jsonl", "-o", "out.jsonl")
    assert result.code == 2
    assert "rows.jsonl: the file was changed during the run" in result.err
    assert "rows" not in sidecar("out.jsonl")
    refused(cli("score", "rows.jsonl", "-o", "out.jsonl"), "out.jsonl", "it was made from other rows")
