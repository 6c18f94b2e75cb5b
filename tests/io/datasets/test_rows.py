"""The project's own format, in each kind of file."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from mars_score.errors import ConfigError, InputError
from mars_score.io.datasets.loading import load_dataset

if TYPE_CHECKING:
    from tests.io.datasets.conftest import Folder

ROW: dict[str, Any] = {
    "id": "tide-1",
    "task": "question answering",
    "system": "small",
    "context": "The boat lay dry at noon. At six the water was back.",
    "question": "When did the boat float?",
    "references": ["In the evening.", "At six."],
    "candidate": "At six o'clock.",
    "human": 4.5,
    "ratings": [4, 5],
    "aspects": {"correctness": 4.5, "fluency": None},
    "source": "own",
    "lang": "en",
}


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(*rows: dict[str, Any], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: json.dumps(v) if isinstance(v, list | dict) else v for key, v in row.items()})
    return out.getvalue()


CONTENTS = {
    "all.jsonl": lines(ROW),
    "all.json": json.dumps([ROW], indent=2),
    "lines.json": lines(ROW),
    "all.csv": table(ROW),
    "all.tsv": table(ROW, delimiter="\t"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_a_row_has_all_its_fields(folder: Folder, name: str) -> None:
    dataset = folder.load(name, CONTENTS[name])
    assert dataset.name == name.split(".", maxsplit=1)[0]
    (row,) = dataset
    assert row.example.candidate == "At six o'clock."
    assert row.example.references == ("In the evening.", "At six.")
    assert row.example.context == f"{ROW['context']}\n{ROW['question']}"
    assert row.example.question == ROW["question"]
    assert (row.id, row.system, row.task, row.source) == ("tide-1", "small", "question answering", "own")
    assert row.lang == "en"
    assert (row.human, row.ratings, dict(row.aspects)) == (4.5, (4.0, 5.0), {"correctness": 4.5})


def test_what_may_be_missing(folder: Folder) -> None:
    (row,) = folder.load("a.jsonl", lines({"candidate": "a", "reference": "b", "human": 0}))
    assert (row.id, row.system, row.task, row.source, row.lang) == ("1", "", "", "", "")
    assert (row.human, row.ratings, dict(row.aspects)) == (0.0, (), {})
    assert row.example.context == ""


@pytest.mark.parametrize("human", [None, float("nan")])
def test_ratings_stand_in_for_their_mean(folder: Folder, human: float | None) -> None:
    (row,) = folder.load("a.jsonl", lines(ROW | {"human": human, "ratings": [1, None, 2, 2]}))
    assert row.ratings == (1.0, 2.0, 2.0)
    assert row.human == pytest.approx(5 / 3)


@pytest.mark.parametrize("mark", [True, "true", "True", 1, "1", "yes"])
def test_rated_references_are_left_out_and_counted(folder: Folder, mark: object) -> None:
    # The human text has no rating; it is left out before anybody asks for one.
    reference = {"candidate": "In the evening.", "references": ["In the evening."], "is_reference": mark}
    dataset = folder.load("a.jsonl", lines(ROW | {"is_reference": False}, reference, ROW | {"id": "2"}))
    assert [row.id for row in dataset] == ["tide-1", "2"]
    assert dataset.references_left_out == 1


def test_rows_without_ids_keep_their_numbers(folder: Folder) -> None:
    row = {key: value for key, value in ROW.items() if key != "id"}
    dataset = folder.load("a.jsonl", lines(row | {"is_reference": True}, row, row))
    assert [row.id for row in dataset] == ["2", "3"]


def test_fields_can_be_mapped(folder: Folder) -> None:
    content = lines({"output": "a", "gold": "b", "article": "c", "score": 2, "model": "d"})
    mapped = {
        "candidate": "output",
        "references": "gold",
        "context": "article",
        "human": "score",
        "system": "model",
    }
    (row,) = folder.load("a.jsonl", content, fields=mapped)
    assert (row.example.candidate, row.example.references, row.example.context) == ("a", ("b",), "c")
    assert (row.human, row.system) == (2.0, "d")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"human": None, "ratings": None},
            "item 'b': no human rating: neither 'human' nor 'ratings' has a number",
        ),
        (
            {"human": None, "ratings": []},
            "item 'b': no human rating: neither 'human' nor 'ratings' has a number",
        ),
        ({"human": "good"}, "item 'b': human must be a number, not 'good'"),
        ({"human": True}, "item 'b': human must be a number, not true"),
        ({"human": [4]}, "item 'b': human must be a number, not [4]"),
        ({"ratings": 4}, "item 'b': ratings must be a list of numbers"),
        ({"ratings": [4, "x"]}, "item 'b': ratings[2 of 2] must be a number, not 'x'"),
        ({"ratings": "4, 5"}, "item 'b': ratings is not JSON: '4, 5'"),
        ({"aspects": [4]}, "item 'b': aspects must be an object of numbers"),
        ({"aspects": {"fluency": "x"}}, "item 'b': aspects.fluency must be a number, not 'x'"),
        ({"system": ["a"]}, "item 'b': system must be text"),
        ({"is_reference": "maybe"}, "is_reference must be true or false"),
        ({"candidate": None}, "item 'b': candidate is null or NaN"),
        ({"id": "tide-1"}, "the id 'tide-1' is on line 1 and again on line 3"),
    ],
)
def test_a_bad_row_is_named(folder: Folder, change: dict[str, Any], problem: str) -> None:
    error = folder.error("a.jsonl", lines(ROW, ROW | {"id": "c"}, ROW | {"id": "b"} | change))
    assert error.problem == problem
    assert error.line == 3


def test_equal_ids_on_one_line(folder: Folder) -> None:
    assert "'tide-1' is on line 1 and again" in folder.error("a.json", json.dumps([ROW, ROW])).problem


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file(folder: Folder, content: str) -> None:
    assert folder.error("a.jsonl", content).problem == "the file has no rows"


def test_a_file_without_ratings(folder: Folder) -> None:
    bare = {"context": "a", "ending": "b", "score": 3}
    error = folder.error("a.jsonl", lines(bare, bare))
    assert error.problem.startswith("no row has a human rating")
    assert error.remedy is not None
    assert "'context', 'ending', 'score'" in error.remedy


def test_a_file_of_references_alone(folder: Folder) -> None:
    error = folder.error("a.jsonl", lines(ROW | {"is_reference": True}))
    assert error.problem == "all 1 rows rate a human reference (is_reference is true)"


def test_broken_json_is_named_by_line(folder: Folder) -> None:
    assert folder.error("a.jsonl", lines(ROW) + '{"id": \n').line == 2


def test_options_that_would_do_nothing_are_refused(folder: Folder) -> None:
    with pytest.raises(ConfigError, match="Did you mean 'human'"):
        folder.load("a.jsonl", lines(ROW), fields={"humann": "score"})
    with pytest.raises(ConfigError, match="references are for the format newsroom"):
        folder.load("a.jsonl", lines(ROW), references="test.jsonl")
    with pytest.raises(ConfigError, match="Did you mean 'mocha'"):
        folder.load("a.jsonl", lines(ROW), format="moca")


def test_files_that_cannot_be_read(folder: Folder) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_dataset(folder.path / "absent.jsonl")
    with pytest.raises(InputError, match="standard input"):
        load_dataset("-")
    assert "Parquet" in folder.error("a.parquet", "PAR1").problem
    assert "cannot tell the format" in folder.error("a.txt", "a").problem
