"""Lists from a caller are checked as strictly as a file is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mars_score.errors import InputError
from mars_score.io.examples import make_examples
from mars_score.types import Example

GOOD: dict[str, Any] = {
    "candidates": ["The owl slept.", ""],
    "references": ["It sleeps.", ["It flew.", "It was gone."]],
    "contexts": ["It is noon.", ""],
    "ids": ["owl", "gone"],
}


def complaint(**changes: Any) -> str:
    """Return what is said of lists that are good but for these; every complaint has a remedy."""
    with pytest.raises(InputError) as caught:
        make_examples(**{**GOOD, **changes})
    assert caught.value.remedy
    return caught.value.problem


def test_good_lists() -> None:
    assert make_examples(**GOOD) == [
        Example("owl", "The owl slept.", ("It sleeps.",), "It is noon."),
        Example("gone", "", ("It flew.", "It was gone."), ""),
    ]


def test_contexts_and_ids_may_be_left_out() -> None:
    assert make_examples(["a", "b"], ["c", ("d", "e")]) == [
        Example("1", "a", ("c",), ""),
        Example("2", "b", ("d", "e"), ""),
    ]


def test_no_examples() -> None:
    assert make_examples([], [], [], []) == []


def test_texts_come_through_unchanged() -> None:
    odd = " \tÜber\u00a0👩‍👩‍👧‍👦\r\n"
    assert make_examples([odd], [odd], [odd], [odd]) == [Example(odd, odd, (odd,), odd)]


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("The owl slept.", "str"),
        (b"The owl slept.", "bytes"),
        ({"The owl slept."}, "set"),
        ((text for text in ["a", "b"]), "generator"),
        (np.array(["a", "b"]), "ndarray"),
        (7, "int"),
    ],
)
def test_no_list(name: str, value: object, kind: str) -> None:
    assert complaint(**{name: value}) == f"{name} must be a list of texts, not {kind}"


@pytest.mark.parametrize("name", ["candidates", "references"])
def test_none_in_place_of_a_list(name: str) -> None:
    assert complaint(**{name: None}) == f"{name} must be a list of texts, not NoneType"


@pytest.mark.parametrize("name", ["references", "contexts", "ids"])
@pytest.mark.parametrize("size", [0, 1, 3])
def test_different_lengths(name: str, size: int) -> None:
    assert complaint(**{name: ["x", "y", "z"][:size]}) == f"2 candidates but {size} {name}"


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("value", "kind"), [(None, "NoneType"), (0.5, "float"), (b"x", "bytes"), (True, "bool")]
)
def test_an_entry_that_is_no_text(name: str, value: object, kind: str) -> None:
    said = complaint(**{name: ["x", value]})
    if name == "references" and value is not None:
        # One that could be a list of references is said to be neither.
        assert said.startswith("references[1] must be a text")
    elif name == "references":
        assert said == "references[1] must be a text or a non-empty list of texts"
    else:
        assert said == f"{name}[1] must be a text, not {kind}"


@pytest.mark.parametrize("reference", ["", "  ", "\n\t", ["It flew.", ""], ["\u00a0"]])
def test_a_blank_reference(reference: object) -> None:
    assert complaint(references=["It sleeps.", reference]) == "references[1] is blank"


def test_no_reference() -> None:
    assert complaint(references=["x", []]) == "references[1] must be a text or a non-empty list of texts"
    assert complaint(references=["x", ["y", None]]) == "references[1] must be a text, not NoneType"


def test_numbers_serve_as_ids() -> None:
    ids: Any = [10, 2]
    assert [example.id for example in make_examples(["a", "b"], ["c", "d"], ids=ids)] == ["10", "2"]


@pytest.mark.parametrize("ids", [["owl", "owl"], [1, "1"]])
def test_ids_that_are_not_unique(ids: list[object]) -> None:
    assert complaint(ids=ids) == f"2 of the ids are {str(ids[0])!r}"
