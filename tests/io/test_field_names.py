"""Foreign names of fields: mapped on request, guessed in the remedy, never used silently."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ConfigError
from mars_score.types import Example

if TYPE_CHECKING:
    from .conftest import Folder


@pytest.mark.parametrize(
    ("names", "missing", "guess"),
    [
        (["canddiate", "reference"], "'candidate'", "candidate=canddiate"),
        (["Candidate", "reference"], "'candidate'", "candidate=Candidate"),
        (["prediction", "reference"], "'candidate'", "candidate=prediction"),
        (["hypothesis", "references"], "'candidate'", "candidate=hypothesis"),
        (["OUTPUT", "references"], "'candidate'", "candidate=OUTPUT"),
        (["candidate", "refs"], "'references' or 'reference'", "references=refs"),
        (["candidate", "refrences"], "'references' or 'reference'", "references=refrences"),
        (["candidate", "reference_text"], "'references' or 'reference'", "references=reference_text"),
        (["candidate", "target"], "'references' or 'reference'", "references=target"),
    ],
)
def test_a_missing_field_is_guessed(folder: Folder, names: list[str], missing: str, guess: str) -> None:
    error = folder.error("rows.jsonl", json.dumps(dict.fromkeys(names, "text")))
    assert error.line == 1
    assert error.problem == f"no field {missing}"
    assert "Did you mean" in str(error.remedy)
    assert f"--field {guess} " in str(error.remedy)


def test_all_foreign_names_are_guessed_at_once(folder: Folder) -> None:
    line = json.dumps({"source": "s", "target": "t", "prediction": "p", "score": 1})
    remedy = folder.error("rows.jsonl", line).remedy
    assert "--field candidate=prediction --field references=target --field context=source" in str(remedy)
    assert "fields={'candidate': 'prediction', 'references': 'target', 'context': 'source'}" in str(remedy)


def test_without_a_guess_the_names_are_listed(folder: Folder) -> None:
    remedy = folder.error("rows.jsonl", '{"xx": 1, "yy": 2}').remedy
    assert "'xx', 'yy'" in str(remedy)
    assert "--field candidate=NAME" in str(remedy)
    assert "no names at all" in str(folder.error("rows.jsonl", "{}").remedy)


def test_the_guess_works(folder: Folder) -> None:
    line = json.dumps({"source": "s", "target": ["t", "u"], "prediction": "p", "key": 4})
    fields = {"candidate": "prediction", "references": "target", "context": "source", "id": "key"}
    assert folder.read("rows.jsonl", line, fields=fields) == [Example("4", "p", ("t", "u"), "s")]


def test_a_mapped_reference_is_the_only_one(folder: Folder) -> None:
    line = json.dumps({"candidate": "c", "references": ["no"], "reference_1": "no", "gold": "yes"})
    assert folder.read("rows.jsonl", line, fields={"reference": "gold"})[0].references == ("yes",)


@pytest.mark.parametrize("field", ["candidate", "reference", "references", "context", "question", "id"])
def test_a_mapped_field_must_be_there(folder: Folder, field: str) -> None:
    line = json.dumps({"candidate": "c", "reference": "r"})
    error = folder.error("rows.jsonl", line, fields={field: "nowhere"})
    assert f"no field 'nowhere' (mapped as {field})" in error.problem


def test_a_misspelled_mapping_is_guessed_before_an_alias(folder: Folder) -> None:
    line = json.dumps({"output": "x", "my_system": "c", "reference": "r"})
    remedy = folder.error("rows.jsonl", line, fields={"candidate": "my_sytem"}).remedy
    assert "--field candidate=my_system " in str(remedy)


def test_a_mapped_context_may_be_null(folder: Folder) -> None:
    line = json.dumps({"candidate": "c", "reference": "r", "article": None})
    assert folder.read("rows.jsonl", line, fields={"context": "article"})[0].context == ""


def test_errors_use_the_name_in_the_file(folder: Folder) -> None:
    line = json.dumps({"prediction": 4, "reference": "r"})
    assert (
        "prediction must be text"
        in folder.error("rows.jsonl", line, fields={"candidate": "prediction"}).problem
    )


def test_an_unknown_field_to_map(folder: Folder) -> None:
    with pytest.raises(ConfigError, match=r"unknown field 'candidat'.*Did you mean 'candidate'"):
        folder.read("rows.jsonl", "{}", fields={"candidat": "x"})
