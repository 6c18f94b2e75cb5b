"""Scores from elsewhere in a study: how they are read, joined with rows, analysed and shown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from mars_score.cli import study as study_command
from mars_score.errors import ConfigError, InputError
from mars_score.stats.correlation import correlation
from mars_score.stats.ratings import quadratic_kappa
from mars_score.study.judges import read_external
from mars_score.study.results_file import read_results
from tests.study.toys import dataset, write_rows

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.study.results import JudgeResult, Study

DATA = dataset(12)
REPLY = 'I would say:\n```json\n{"score": %d, "reason": "short {but} clear"}\n```'


def judged(path: Path, *, shift: dict[str, float] | None = None) -> Path:
    """Write a judge's answers: people's rounded mean, more for some systems, each row in two positions."""
    rows = []
    for row in DATA:
        for position in ("first", "second"):
            value = row.human + (shift or {}).get(row.system, 0.0) + (shift or {}).get(position, 0.0)
            answer = REPLY % round(value)
            rows.append({"id": row.id, "position": position, "judge": "long", "answer": answer})
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def study(tmp_path: Path, *options: str, data: Path | None = None) -> Study:
    data = data or write_rows(tmp_path / "toy.jsonl", DATA)
    fixed = ["--metrics", "rougeL,candidate_length", "--attacks", "reorder", "--draws", "60"]
    CliRunner().invoke(
        study_command.study, [str(data), "--out", str(tmp_path / "out"), *fixed, *options],
        catch_exceptions=False, standalone_mode=False,
    )  # fmt: skip
    return read_results(tmp_path / "out")


def result(found: Study, name: str) -> JudgeResult:
    return next(one for one in found.datasets[0].judges if one.metric == name)


def test_a_judge_beside_the_metrics(tmp_path: Path) -> None:
    found = study(tmp_path, "--scores", str(judged(tmp_path / "judge.jsonl")))
    assert [metric.name for metric in found.metrics] == ["rougeL", "candidate_length", "judge"]
    one = result(found, "judge")
    rounded = [float(round(row.human)) for row in DATA]
    assert one.pearson == correlation(rounded, DATA.human).value
    pairs = [(score, rating) for score, row in zip(rounded, DATA, strict=True) for rating in row.ratings]
    assert one.kappa == pytest.approx(quadratic_kappa(*zip(*pairs, strict=True)).value)
    assert one.people_kappa is not None
    assert one.partial is not None
    assert one.partial_low is not None
    assert one.partial_high is not None
    assert one.partial_low <= one.partial <= one.partial_high
    assert sum(part.n for part in one.bins) == one.n == len(DATA)
    length = result(found, "candidate_length")
    assert length.partial is None
    assert length.with_length == pytest.approx(1.0)
    pairs_tested = {frozenset((test.better, test.worse)) for test in found.datasets[0].contrasts}
    assert frozenset(("judge", "rougeL")) in pairs_tested
    whole = found.datasets[0]
    assert "judge" not in {cost.metric for cost in whole.costs} | {attack.metric for attack in whole.attacks}


def test_biases_are_found_where_they_are(tmp_path: Path) -> None:
    path = judged(tmp_path / "judge.jsonl", shift={"first": 1.0, "long": 2.0})
    biases = {
        (one.kind, one.name): one for one in result(study(tmp_path, "--scores", str(path)), "judge").biases
    }
    first, own = biases["position", "first"], biases["self-preference", "long"]
    assert (first.marked, first.n, own.marked) == (36, 72, 24)
    for one in (first, own):
        assert one.effect is not None
        assert one.low is not None
        assert one.low > 0
    fair = result(study(tmp_path, "--scores", str(judged(tmp_path / "fair.jsonl"))), "fair").biases
    assert next(one for one in fair if one.name == "first").effect == pytest.approx(0.0, abs=1e-12)


def test_the_report_has_one_section(tmp_path: Path) -> None:
    study(tmp_path, "--scores", str(judged(tmp_path / "judge.jsonl")))
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Is the judge any good?" in page
    tables = {path.stem for path in (tmp_path / "out" / "tables").glob("judges*.md")}
    assert tables == {"judges_toy", "judges_length_toy", "judges_bias_toy"}
    study(tmp_path, "--no-report")
    assert not read_results(tmp_path / "out").datasets[0].judges


def test_a_field_of_the_rows_and_the_judges_own_system(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "toy.jsonl", DATA)
    rows = [json.loads(line) | {"gpt": len(line) % 7} for line in path.read_text().splitlines()]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = study(tmp_path, "--scores", "gpt", "--own-system", "short", data=path)
    one = result(found, "gpt")
    assert one.pearson == correlation([row["gpt"] for row in rows], DATA.human).value
    assert [(bias.kind, bias.name) for bias in one.biases] == [("self-preference", "short")]
    with pytest.raises(InputError, match="no numbers in 'system'"):
        study(tmp_path, "--scores", "system", data=path)
    with pytest.raises(ConfigError, match="two columns of scores are called 'gpt'"):
        study(tmp_path, "--scores", "gpt", "--scores", "gpt", data=path)
    with pytest.raises(InputError, match="no such file"):
        study(tmp_path, "--scores", "absent.csv", data=path)


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("a.csv", "id,score,reason\nx,4,good\ny,,\n", {"a": {"x": 4.0}}),
        ("a.csv", "id,judge\nx,4\ny,5\n", {"a": {"x": 4.0, "y": 5.0}}),
        ("a.csv", "id,judge,score\nx,gpt,4\n", {"a": {"x": 4.0}}),
        ("a.tsv", "id\thelpful\tclear\nx\t4\t2\n", {"helpful": {"x": 4.0}, "clear": {"x": 2.0}}),
        ("a.jsonl", '{"id": "x", "scores": {"clear": 3, "true": 1.5}}', {"clear": {"x": 3.0}, "true": {"x": 1.5}}),
        ("a.json", '[{"id": 7, "output": "{\\"rating\\": 2}"}]', {"a": {"7": 2.0}}),
        ("a.jsonl", '{"custom_id": "x", "response": {"body": {"usage": {"total_tokens": 9}, "choices":'
                    ' [{"message": {"content": "{\\"score\\": 5}"}}]}}}', {"a": {"x": 5.0}}),
        ("a.jsonl", '{"id": "x", "choices": [{"message": {"content": "3"}}]}', {"a": {"x": 3.0}}),
    ],
)  # fmt: skip
def test_what_is_read(tmp_path: Path, name: str, content: str, columns: dict[str, dict[str, float]]) -> None:
    path = tmp_path / name
    path.write_text(content)
    found = {one.name: {id: one.of(id) for id in one.judgements} for one in read_external(path)}
    assert found == columns


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("id,score\nx,4\nx,5\n", "a.csv:3: the id 'x' has two scores 'score'"),
        ("id,reason\nx,good\n", "no column of numbers"),
        ("", "no column of numbers"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=words) as caught:
        read_external(path)
    assert caught.value.remedy


def test_ids_that_no_row_has(tmp_path: Path) -> None:
    path = tmp_path / "judge.csv"
    path.write_text("id,score\nnobody,4\n")
    with pytest.raises(InputError, match="none of its ids, such as 'nobody', is in the data"):
        study(tmp_path, "--scores", str(path))


def test_a_judge_of_a_single_row(tmp_path: Path) -> None:
    path = tmp_path / "judge.csv"
    path.write_text(f"id,score\n{DATA.rows[0].id},4\n")
    one = result(study(tmp_path, "--scores", str(path)), "judge")
    assert (one.n, one.pearson, one.partial, one.partial_low, one.within_bins) == (1, None, None, None, None)


def test_a_judge_of_fractions_has_no_kappa(tmp_path: Path) -> None:
    rows = "\n".join(f"{row.id},{row.human}" for row in DATA)
    path = tmp_path / "judge.csv"
    path.write_text(f"id,score\n{rows}\n")
    rated = replace(DATA, rows=tuple(replace(row, ratings=()) for row in DATA))
    data = write_rows(tmp_path / "toy.jsonl", rated)
    one = result(study(tmp_path, "--scores", str(path), data=data), "judge")
    assert one.pearson == pytest.approx(1.0)
    assert (one.kappa, one.people_kappa, one.biases) == (None, None, ())
