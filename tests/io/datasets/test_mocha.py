"""MOCHA: answers by data set and id."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.io.datasets.mocha import answers

if TYPE_CHECKING:
    from tests.io.datasets.conftest import Folder


def answer(**changes: Any) -> dict[str, Any]:
    return {
        "candidate": "Soup with bread.",
        "context": "Ida cooked soup. Her sister brought bread.",
        "metadata": {"scores": [3, 5], "source": "gpt2"},
        "question": "What did they eat?",
        "reference": "Bread and soup.",
        "score": 4,
    } | changes


FILE = {
    "narrativeqa": {"a1": answer(), "a2": answer(metadata={"scores": [1, 1], "source": "mhpg"}, score=1.0)},
    "mcscript": {"a1": answer(question="Who brought bread?", reference="Her sister.", candidate="Ida.")},
}


@pytest.mark.parametrize("indent", [None, 4])
def test_answers(folder: Folder, indent: int | None) -> None:
    dataset = folder.load("dev.json", json.dumps(FILE, indent=indent))
    assert [row.id for row in dataset] == ["narrativeqa/a1", "narrativeqa/a2", "mcscript/a1"]
    assert [row.system for row in dataset] == ["gpt2", "mhpg", "gpt2"]
    assert [row.human for row in dataset] == [4.0, 1.0, 4.0]
    first, second, third = dataset
    assert first.ratings == (3.0, 5.0)
    assert first.example.references == ("Bread and soup.",)
    assert first.example.context == "Ida cooked soup. Her sister brought bread.\nWhat did they eat?"
    assert first.example.question == "What did they eat?"
    assert (first.task, third.task) == ("question answering (narrativeqa)", "question answering (mcscript)")
    assert first.item == second.item != third.item


def test_a_score_may_be_missing_where_there_are_ratings(folder: Folder) -> None:
    content = {"drop": {"a": answer(score=None), "b": answer(metadata={})}}
    first, second = folder.load("dev.json", json.dumps(content))
    assert (first.human, first.system) == (4.0, "gpt2")
    assert (second.human, second.ratings, second.system) == (4.0, (), "")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"score": None, "metadata": {}}, "item 'drop/b': no score"),
        ({"score": "high"}, "item 'drop/b': score must be a number, not 'high'"),
        ({"metadata": [3]}, "item 'drop/b': metadata must be an object"),
        ({"metadata": {"scores": 3}}, "item 'drop/b': metadata.scores must be a list of numbers"),
        ({"reference": " "}, "item 'drop/b': reference is blank"),
        ({"candidate": 3}, "item 'drop/b': candidate must be text, not a number"),
    ],
)
def test_a_bad_answer_is_named_by_line(folder: Folder, change: dict[str, Any], problem: str) -> None:
    content = json.dumps({"drop": {"a": answer(), "b": answer(**change)}}, indent=1)
    error = folder.error("dev.json", content)
    assert error.problem == problem
    assert error.line == 1 + content[: content.index('"b"')].count("\n")


def test_files_without_scores(folder: Folder) -> None:
    bare = {key: value for key, value in answer().items() if key not in ("score", "metadata")}
    assert (
        folder.error("test_no_labels.json", json.dumps({"drop": {"a": bare}})).problem
        == "no answer has a score"
    )
    pair = {key: value for key, value in bare.items() if key != "candidate"}
    pairs = pair | {"candidate1": "a", "candidate2": "b", "score1": 1, "score2": 5}
    error = folder.error("minimal_pairs.json", json.dumps({"drop": {"a": pairs}}))
    assert error.remedy is not None
    assert "minimal_pairs.json" in error.remedy


@pytest.mark.parametrize(
    ("content", "problem", "location"),
    [
        ('{"drop": {}}', "the file has no rows", (None, None)),
        ('{"drop":\n {"a": 1}}', "broken JSON: 'drop': 'a' must be an object", (2, 8)),
        ('{"drop":\n {"a": {}, "a": {}}}', "broken JSON: the name 'a' is there twice", (2, 17)),
        ('{"drop": {"a": {}},\n"drop": {}}', "broken JSON: the name 'drop' is there twice", (2, 9)),
        ('{"drop": {"a": {}\n', "broken JSON: expected a comma or the end of the object", (2, 1)),
        ('{"drop": {"a": {}}} x', "broken JSON: there is text after the end of the object", (1, 21)),
        ('{"drop": {"a": {"x": tru}}}', "broken JSON: Expecting value", (1, 22)),
        ('{"drop": [1]}', "broken JSON: expected an object", (1, 10)),
        ("[]", "broken JSON: expected an object", (1, 1)),
        ("{1: {}}", "broken JSON: expected a name in double quotes", (1, 2)),
        ('{"a" {}}', "broken JSON: expected a colon", (1, 6)),
    ],
)
def test_broken_files(
    folder: Folder, content: str, problem: str, location: tuple[int | None, int | None]
) -> None:
    error = folder.error("dev.json", content, format="mocha")
    assert error.problem == problem
    assert (error.line, error.column) == location


objects = st.dictionaries(st.text(max_size=3), st.integers() | st.text() | st.lists(st.none()), max_size=2)


@given(
    st.dictionaries(
        st.text(max_size=3), st.dictionaries(st.text(max_size=3), objects, max_size=3), max_size=3
    ),
    st.sampled_from([None, 0, 3]),
)
def test_nested_objects_are_read_as_by_the_json_module(value: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    nested: dict[str, dict[str, object]] = {group: {} for group in value}
    for answer in answers([(1, text)], "a.json"):
        nested[answer.group][answer.key] = answer.values
        if indent is not None:
            assert text.split("\n")[answer.line - 1].strip().startswith(json.dumps(answer.key))
    assert nested == value
