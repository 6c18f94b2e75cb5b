"""What a row may hold, and what is said of a row that cannot be scored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mars_score.types import Example

if TYPE_CHECKING:
    from .conftest import Folder


def row(**values: Any) -> str:
    return json.dumps({"candidate": "The owl slept.", "reference": "An owl was asleep."} | values) + "\n"


def test_a_full_row(folder: Folder) -> None:
    text = row(id="n1", references=["One.", "Two."], context="A barn.", reference=None)
    assert folder.read("rows.jsonl", text) == [Example("n1", "The owl slept.", ("One.", "Two."), "A barn.")]


def test_fields_that_are_not_asked_for_are_ignored(folder: Folder) -> None:
    assert (
        len(folder.read("rows.jsonl", row(human=3.5, ratings=[1, 2], aspects={"a": None}, system="x"))) == 1
    )


@pytest.mark.parametrize(
    ("values", "references"),
    [
        ({"references": "One."}, ("One.",)),
        ({"references": ["One."]}, ("One.",)),
        ({"references": ["One.", "One."]}, ("One.", "One.")),
        ({}, ("An owl was asleep.",)),
        ({"references": None}, ("An owl was asleep.",)),
        (
            {"reference_2": "Two.", "reference_10": "Ten.", "reference_3": " "},
            ("An owl was asleep.", "Two.", "Ten."),
        ),
        ({"reference": None, "reference_1": "One.", "reference_2": None}, ("One.",)),
    ],
)
def test_references(folder: Folder, values: dict[str, Any], references: tuple[str, ...]) -> None:
    assert folder.read("rows.jsonl", row(**values))[0].references == references


@pytest.mark.parametrize(
    ("values", "context"),
    [
        ({}, ""),
        ({"context": None}, ""),
        ({"context": "A barn."}, "A barn."),
        ({"context": "A barn.", "question": None}, "A barn."),
        ({"context": "A barn.", "question": "Who slept?"}, "A barn.\nWho slept?"),
        ({"context": None, "question": "Who slept?"}, "Who slept?"),
        ({"context": "", "question": "Who slept?"}, "Who slept?"),
        ({"question": "Who slept?"}, "Who slept?"),
    ],
)
def test_context_and_question(folder: Folder, values: dict[str, Any], context: str) -> None:
    assert folder.read("rows.jsonl", row(**values))[0].context == context


def test_ids(folder: Folder) -> None:
    text = row(id="x") + row(id=-7) + row() + row(id=None) + row(id="")
    assert [example.id for example in folder.read("rows.jsonl", text)] == ["x", "-7", "3", "4", "5"]


def test_an_empty_candidate_is_scored(folder: Folder) -> None:
    assert folder.read("rows.jsonl", row(candidate=""))[0].candidate == ""


def test_escaped_nul_and_control_characters_are_text(folder: Folder) -> None:
    assert folder.read("rows.jsonl", row(candidate="a\0b\x1f"))[0].candidate == "a\0b\x1f"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"candidate": 3}, ["candidate must be text, not a number", "in quotes"]),
        ({"candidate": 3.5}, ["candidate must be text, not a number"]),
        ({"candidate": True}, ["candidate must be text, not true or false"]),
        ({"candidate": {"text": "x"}}, ["candidate must be text, not an object", "part of it"]),
        ({"candidate": ["x"]}, ["candidate must be text, not a list", "a row for each"]),
        ({"candidate": None}, ["candidate is null", 'write ""']),
        ({"candidate": float("nan")}, ["candidate is null or NaN"]),
        ({"context": ["one", "two"]}, ["context must be text, not a list", "join its parts"]),
        ({"context": 5}, ["context must be text, not a number"]),
        ({"question": False}, ["question must be text, not true or false"]),
        ({"references": [["x"]]}, ["references[1 of 1] must be text, not a list"]),
        ({"references": ["x", 4]}, ["references[2 of 2] must be text, not a number"]),
        ({"references": ["x", None]}, ["references[2 of 2] is null", "leave it out of the list"]),
        ({"references": ["x", " \t", "y"]}, ["references[2 of 3] is blank", "leave it out of the list"]),
        ({"references": {}}, ["references must be text, not an object"]),
        ({"references": []}, ["references is an empty list", "at least one reference"]),
        ({"reference": ""}, ["reference is blank", "leave the row out"]),
        ({"reference": None}, ["no reference: all are null or blank"]),
        ({"reference": None, "reference_1": "", "reference_2": " "}, ["no reference"]),
        ({"reference_1": 8}, ["reference_1 must be text, not a number"]),
    ],
)
def test_a_bad_value_names_its_item_and_field(
    folder: Folder, values: dict[str, Any], words: list[str]
) -> None:
    error = folder.error("rows.jsonl", row(id="good") + "\n" + row(id="bad", **values))
    assert error.line == 3
    assert "item 'bad'" in error.problem
    assert all(word in str(error) for word in words)


@pytest.mark.parametrize(("value", "word"), [(True, "true or false"), (1.5, "a number"), (["x"], "a list")])
def test_a_bad_id(folder: Folder, value: object, word: str) -> None:
    error = folder.error("rows.jsonl", row() + row(id=value))
    assert error.line == 2
    assert f"item '2': id must be text, not {word}" in error.problem


@pytest.mark.parametrize("field", ["candidate", "reference", "context", "question", "id"])
def test_a_lone_surrogate_cannot_be_text(folder: Folder, field: str) -> None:
    error = folder.error("rows.jsonl", row(**{field: "ab\ud83dc"}))
    assert error.line == 1
    assert f"{field} has a lone surrogate (\\ud83d) at character 3" in error.problem


def test_a_surrogate_pair_is_text(folder: Folder) -> None:
    assert folder.read("rows.jsonl", row(candidate="\U0001f989"))[0].candidate == "\U0001f989"


def test_a_lone_surrogate_in_an_ignored_field_is_ignored(folder: Folder) -> None:
    assert len(folder.read("rows.jsonl", row(note="\ud800"))) == 1


def test_duplicate_ids_name_both_lines(folder: Folder) -> None:
    error = folder.error("rows.jsonl", row(id="a") + "\n" + row(id="b") + row(id="a"))
    assert error.line == 4
    assert "the id 'a' is on line 1 and again on line 4" in error.problem
    assert "unique" in str(error.remedy)


def test_a_number_and_its_text_are_the_same_id(folder: Folder) -> None:
    assert "line 1 and again on line 2" in folder.error("rows.jsonl", row(id=5) + row(id="5")).problem


def test_the_number_of_a_row_may_not_be_the_id_of_another(folder: Folder) -> None:
    assert "line 1 and again on line 2" in folder.error("rows.jsonl", row(id="2") + row()).problem


def test_duplicate_ids_on_one_line_of_a_list(folder: Folder) -> None:
    error = folder.error("rows.json", f"[{row(id='a').strip()}, {row(id='a').strip()}]")
    assert "the id 'a' is on line 1 and again on line 1" in error.problem
