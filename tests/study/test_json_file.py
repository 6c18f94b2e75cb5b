"""results.json: what is written is read back, and what is wrong is named."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import pytest

from mars_score.errors import InputError, OutputError
from mars_score.study import results
from mars_score.study.results import SCHEMA, Study
from mars_score.study.results_file import from_json, read_results, to_json, write_results

if TYPE_CHECKING:
    from pathlib import Path


def sample(kind: Any, number: int = 3) -> Any:
    """A value of any annotation of the results, with every optional field filled."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        make: Any = kind
        return make(
            **{item.name: sample(hints[item.name], number + i) for i, item in enumerate(fields(kind))}
        )
    parts = [part for part in get_args(kind) if part not in (type(None), Ellipsis)]
    name = str(kind)
    if name.startswith("tuple"):
        return tuple(sample(part, number + i) for i, part in enumerate(parts))
    if name.startswith("dict"):
        return {f"key {number}": sample(parts[1], number)}
    if parts:
        return sample(parts[0], number)
    return {int: number, float: number + 0.1, str: f"text {number} ü \u2028", bool: True}[kind]


STUDY = replace(sample(Study), schema=SCHEMA)


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(STUDY, path)
    assert read_results(path) == read_results(tmp_path) == STUDY
    assert STUDY.datasets[0].disagreements[0].terms[0].segments  # the sample reaches the innermost parts
    first = path.read_bytes()
    write_results(STUDY, path)
    assert path.read_bytes() == first
    assert list(json.loads(first)) == [item.name for item in fields(Study)]


def test_what_is_undefined_is_null(tmp_path: Path) -> None:
    empty = replace(STUDY, augmentations=None, datasets=(replace(STUDY.datasets[0], cells=()),))
    write_results(empty, tmp_path / "r.json")
    assert read_results(tmp_path / "r.json") == empty
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["augmentations"] is None


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_no_nan_is_written(tmp_path: Path, number: float) -> None:
    info = replace(STUDY.datasets[0].info, omega=number)
    bad = replace(STUDY, datasets=(replace(STUDY.datasets[0], info=info),))
    with pytest.raises(OutputError, match=r"study\.datasets\[0\]\.info\.omega is (nan|inf)"):
        write_results(bad, tmp_path / "results.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda content: content | {"schema": SCHEMA + 1},
            f"schema {SCHEMA + 1}, but this version reads schema {SCHEMA}",
        ),
        (lambda content: {"rows": 3}, "there is no schema"),
        (lambda content: [content], "there is no schema"),
        (lambda content: content | {"datasets": {}}, "study.datasets must be a list, not"),
        (lambda content: content | {"seed": 1.5}, "study.seed must be a whole number, not '1.5'"),
        (lambda content: content | {"seed": True}, "study.seed must be a whole number"),
        (lambda content: content | {"version": None}, "study.version must be a text"),
        (lambda content: {key: content[key] for key in content if key != "draws"}, "study has no 'draws'"),
        (lambda content: content | {"metrics": [{}]}, r"study.metrics\[0\] has no 'name'"),
        (lambda content: content | {"metrics": [3]}, r"study.metrics\[0\] must be an object"),
    ],
)  # fmt: skip
def test_damaged(tmp_path: Path, change: Any, problem: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(change(to_json(STUDY))), encoding="utf-8")
    with pytest.raises(InputError, match=problem) as caught:
        read_results(path)
    assert caught.value.path == path
    assert caught.value.remedy


def test_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(STUDY, path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="not whole JSON"):
        read_results(path)
    with pytest.raises(InputError, match="no such file"):
        read_results(tmp_path / "other.json")


def test_a_field_more_or_less_is_no_harm() -> None:
    """The schema is raised only when a field changes or goes away."""
    value = to_json(STUDY)
    del value["augmentations"]
    value["new"] = 1
    assert from_json(Study, value) == replace(STUDY, augmentations=None)


def test_every_annotation_of_the_results_is_known() -> None:
    """A new field of a kind that the reader does not know would be noticed here, not by a user."""
    for kind in vars(results).values():
        if is_dataclass(kind):
            assert isinstance(kind, type)
            value = sample(kind)
            assert from_json(kind, json.loads(json.dumps(to_json(value)))) == value


def test_values_that_json_cannot_hold() -> None:
    @dataclass
    class Odd:
        value: object

    with pytest.raises(OutputError, match=r"value\.value is of type set"):
        to_json(Odd({1}))
