"""Comparing systems: files with a known answer, and systems of a study."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from mars_score.cli.compare import compare
from mars_score.errors import ConfigError, InputError
from mars_score.stats.significance import compare_systems
from mars_score.study.plan import StudySettings
from mars_score.study.results_file import write_results
from mars_score.study.run import run_study
from mars_score.study.systems import compare_all
from tests.study.toys import dataset, modelless_scorer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mars_score.study.store import ScoreStore

A = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
B = [0.1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.3]


def put(path: Path, scores: Sequence[float | None], metric: str = "mars", **more: Sequence[float]) -> str:
    columns: dict[str, Sequence[float | None]] = {metric: scores, **more}
    if path.suffix == ".jsonl":
        rows = [
            json.dumps(
                {"id": f"i{i}", "scores": {name: values[i] for name, values in columns.items()}, "flags": []}
            )
            for i in range(len(scores))
        ]
    else:
        rows = [",".join(["id", *columns, "flags"])]
        rows += [
            ",".join([f"i{i}", *("" if v[i] is None else str(v[i]) for v in columns.values()), ""])
            for i in range(len(scores))
        ]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


def run(*arguments: str) -> Any:
    done = CliRunner().invoke(compare, [*arguments, "--json"], catch_exceptions=False, standalone_mode=False)
    return json.loads(done.output)


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_files(tmp_path: Path, suffix: str) -> None:
    a, b = put(tmp_path / f"a.{suffix}", A), put(tmp_path / "b.jsonl", B)
    result = run(a, b)
    (comparison,) = result["comparisons"]
    expected = compare_systems(A, B)
    assert (result["metric"], result["higher_is_better"]) == ("mars", True)
    assert (comparison["wins"], comparison["ties"], comparison["losses"], comparison["n"]) == (6, 1, 1, 8)
    assert comparison["mean_first"] == pytest.approx(0.55)
    assert comparison["mean_second"] == pytest.approx(0.4)
    assert comparison["difference"] == pytest.approx(0.15)
    assert (comparison["low"], comparison["high"]) == (expected.low, expected.high)
    assert (comparison["p_bootstrap"], comparison["p_randomisation"]) == (
        expected.p_bootstrap,
        expected.p_randomisation,
    )
    assert comparison["p_corrected"] == comparison["p_randomisation"]
    assert comparison["largest"][0] == {"item": "i0", "first": 0.9, "second": 0.1}
    assert len(comparison["largest"]) == 8


def test_ids_are_matched_whatever_their_order(tmp_path: Path) -> None:
    a, b = put(tmp_path / "a.jsonl", A), put(tmp_path / "b.jsonl", B)
    straight = run(a, b)
    lines = (tmp_path / "b.jsonl").read_text().splitlines()
    (tmp_path / "b.jsonl").write_text("\n".join(lines[::-1]) + "\n")
    assert run(a, b) == straight


def test_lower_is_better(tmp_path: Path) -> None:
    a, b = put(tmp_path / "a.csv", A, "ter"), put(tmp_path / "b.csv", B, "ter")
    result = run(a, b)
    (comparison,) = result["comparisons"]
    assert result["higher_is_better"] is False
    assert (comparison["wins"], comparison["ties"], comparison["losses"]) == (1, 1, 6)
    assert comparison["difference"] == pytest.approx(0.15)


def test_three_systems_are_three_pairs_with_a_correction(tmp_path: Path) -> None:
    files = [put(tmp_path / f"{name}.csv", values) for name, values in
             (("a", A), ("b", B), ("c", [x - 0.2 for x in A]))]  # fmt: skip
    result = run(*files)["comparisons"]
    assert [(comparison["first"], comparison["second"]) for comparison in result] == [
        (files[0], files[1]), (files[0], files[2]), (files[1], files[2]),
    ]  # fmt: skip
    assert all(comparison["p_corrected"] >= comparison["p_randomisation"] for comparison in result)
    smallest = min(result, key=lambda comparison: comparison["p_randomisation"])
    assert smallest["p_corrected"] == pytest.approx(3 * smallest["p_randomisation"])


def test_undefined_scores_are_left_out(tmp_path: Path) -> None:
    a = put(tmp_path / "a.csv", [None, *A[1:]])
    (result,) = run(a, put(tmp_path / "b.csv", B))["comparisons"]
    assert (result["n"], result["left_out"]) == (7, 1)
    result = compare_all({"a": {"x": 1.0}, "b": {"x": 2.0}})[0]
    assert (result.reason, result.p_bootstrap, result.losses) == ("too_short", None, 1)


def test_the_metric_is_chosen(tmp_path: Path) -> None:
    a = put(tmp_path / "a.csv", A, "bleu1", rougeL=B)
    b = put(tmp_path / "b.csv", B, "bleu1", rougeL=A)
    assert run(a, b, "--metric", "rougeL")["comparisons"][0]["difference"] == pytest.approx(-0.15)
    with pytest.raises(ConfigError, match="name one with --metric: bleu1, rougeL"):
        run(a, b)
    with pytest.raises(ConfigError, match=r"no metric 'rougel' in common.*Did you mean 'rougeL'"):
        run(a, b, "--metric", "rougel")
    with pytest.raises(ConfigError, match="have no metric in common"):
        run(a, put(tmp_path / "c.csv", A, "chrf"))


def test_errors(tmp_path: Path) -> None:
    a, short = put(tmp_path / "a.csv", A), put(tmp_path / "short.csv", A[:5])
    with pytest.raises(InputError, match=r"short\.csv: there is no item of id 'i5'"):
        run(a, short)
    with pytest.raises(InputError, match=r"short\.csv: there is no item of id 'i5'"):
        run(short, a)
    with pytest.raises(ConfigError, match="at least two systems"):
        run(a)
    with pytest.raises(ConfigError, match="each of them once"):
        run(a, a)
    with pytest.raises(InputError, match="no such file"):
        run(a, str(tmp_path / "none.csv"))
    with pytest.raises(ConfigError, match="--dataset is for systems of a study"):
        run(a, short, "--dataset", "x")
    bad = tmp_path / "bad.jsonl"
    for text, problem in (
        ('{"id": "1", "scores": {"mars": "high"}}', "mars must be a number"),
        ('{"id": 1, "scores": {}}', "a row has an id and scores"),
        (
            '{"id": "1", "scores": {"mars": 1}}\n{"id": "1", "scores": {"mars": 1}}',
            "the id '1' is given twice",
        ),
        ("", "the file has no scores"),
    ):
        bad.write_text(text)
        with pytest.raises(InputError, match=problem):
            run(a, str(bad))
    table = tmp_path / "bad.csv"
    for text, problem in (
        ("name,mars\nx,1\n", "no id or no metric"),
        ("id,flags\nx,\n", "no id or no metric"),
        ("id,mars\nx\n", "the row has 1 cells"),
    ):
        table.write_text(text)
        with pytest.raises(InputError, match=problem):
            run(a, str(table))


def test_systems_of_a_study(folder: Path, store: ScoreStore) -> None:
    settings = StudySettings(metrics=("rougeL", "ter"), attacks=(), draws=20)
    data = dataset(6)
    study = run_study([data, dataset(3, "other")], modelless_scorer(), store, settings)
    write_results(study, folder / "results.json")
    options = ("--study", str(folder), "--dataset", "toy", "--metric", "rougeL")
    (result,) = run("long", "short", *options)["comparisons"]
    rows = study.datasets[0].rows
    scores = {
        name: [row.scores["rougeL"] for row in rows if row.system == name] for name in ("long", "short")
    }
    expected = compare_systems(scores["long"], scores["short"])
    assert result["difference"] == pytest.approx(expected.difference)
    assert (result["wins"], result["p_randomisation"]) == (expected.wins, expected.p_randomisation)
    assert run("long", "short", *options[:4], "--metric", "ter")["higher_is_better"] is False
    with pytest.raises(
        ConfigError, match=r"toy has no system 'lang'; it has short, middle, long. Did you mean 'long'"
    ):
        run("lang", "short", *options)
    with pytest.raises(ConfigError, match="several data sets; name one with --dataset: toy, other"):
        run("long", "short", *options[:2], "--metric", "ter")
    with pytest.raises(ConfigError, match="no data set 'toys'"):
        run("long", "short", "--study", str(folder), "--dataset", "toys", "--metric", "ter")


def test_the_table_for_people(tmp_path: Path) -> None:
    a, b = put(tmp_path / "a.csv", [*A[:7], None]), put(tmp_path / "b.csv", B)
    done = CliRunner().invoke(compare, [a, b], env={"COLUMNS": "200"}, catch_exceptions=False)
    assert done.exit_code == 0
    assert "mars, higher is better" in done.output
    assert "6/1/0" in done.output
    assert "largest differences" in done.output
    assert "1 item has no score of A or of B" in done.output


def test_three_systems_fit_80_columns(tmp_path: Path) -> None:
    files = [
        put(tmp_path / f"a-rather-long-name-{name}.csv", scores)
        for name, scores in (("a", A), ("b", B), ("c", B))
    ]
    done = CliRunner().invoke(compare, files, env={"COLUMNS": "80"}, catch_exceptions=False)
    lines = done.output.splitlines()
    assert max(map(len, lines)) <= 80
    heading = next(line for line in lines if "differ by" in line)
    assert heading.endswith("won/tied/lost")
    pairs = lines[lines.index(heading) + 1 :][:3]
    whole = r"[ABC] - [ABC] +-?\d\.\d{4} +-?\d\.\d{3} to -?\d\.\d{3}( +\d\.\d{3}){3} +\d+/\d+/\d+"
    assert all(re.fullmatch(whole, line) for line in pairs)  # nothing is folded or cut
    assert "near 0.05 one may say yes and the other no" in " ".join(done.output.split())


def test_scores_up_to_100_have_one_digit(tmp_path: Path) -> None:
    files = [
        put(tmp_path / f"{name}.csv", [value * 100 for value in scores])
        for name, scores in (("a", A), ("b", B))
    ]
    done = CliRunner().invoke(compare, files, env={"COLUMNS": "80"}, catch_exceptions=False)
    means = re.findall(r"mean (\S+)", done.output)
    assert [len(mean.partition(".")[2]) for mean in means] == [1, 1]
    assert not re.search(r"\d\.\d{4}", done.output)
