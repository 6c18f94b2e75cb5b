"""Lists from a caller are checked as strictly as a file is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import datasets
import numpy as np
import pandas as pd
import pyarrow
import pytest

from mars_score.errors import InputError
from mars_score.io.examples import check_arguments, make_examples, refuse_without_references
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Callable

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
        ({"a": "b", "c": "d"}, "dict"),
        (pd.DataFrame({"a": ["b", "c"]}), "DataFrame"),
        (7, "int"),
    ],
)
def test_no_list(name: str, value: object, kind: str) -> None:
    assert complaint(**{name: value}) == f"{name} must be a list of texts, not {kind}"


@pytest.mark.parametrize(
    "column",
    [
        tuple, np.array, pd.Series, iter, lambda texts: (text for text in texts),
        lambda texts: pd.Series(texts, index=[7, 3], dtype="category"),
        lambda texts: datasets.Dataset.from_dict({"text": texts})["text"],
        lambda texts: pyarrow.array(texts).to_pandas(),
    ],
)  # fmt: skip
def test_any_ordered_column(column: Callable[[list[str]], Any]) -> None:
    wanted = make_examples(["a", "b"], ["c", "d"], ["e", ""], ["x", "y"], ["q", "r"])
    found = make_examples(
        column(["a", "b"]), column(["c", "d"]), column(["e", ""]), column(["x", "y"]), column(["q", "r"])
    )
    assert found == wanted
    assert {
        type(text) for one in found for text in (one.id, one.candidate, *one.references, one.context)
    } == {str}


def test_several_references_in_any_ordered_column() -> None:
    wanted = [("c", "d"), ("e",)]
    lists = [["c", "d"], ["e"]]
    for references in (
        lists,
        pd.Series(lists),
        pd.Series([np.array(one) for one in lists]),
        [iter(one) for one in lists],
    ):
        assert [one.references for one in make_examples(["a", "b"], references)] == wanted
    assert make_examples(["a"], np.array([["c", "d"]]))[0].references == ("c", "d")


def test_a_question_ends_its_context() -> None:
    first, second = make_examples(["a", "b"], ["c", "d"], ["e", ""], questions=["Why?", "When?"])
    assert (first.context, first.question) == ("e\nWhy?", "Why?")
    assert (second.context, second.question) == ("When?", "When?")
    assert make_examples(["a"], ["c"], ["e"], questions=[""])[0] == make_examples(["a"], ["c"], ["e"])[0]


def test_none_in_place_of_a_list() -> None:
    assert complaint(candidates=None) == "candidates must be a list of texts, not NoneType"


def test_rows_without_references() -> None:
    rows = make_examples(["a"], None, ["e"])
    assert rows == [Example("1", "a", (), "e")]
    with pytest.raises(InputError, match=r"'1' has no reference, and bleu4 .*\n.*mars_context"):
        refuse_without_references(rows, "bleu4")
    with pytest.raises(InputError, match="mars_context"):
        make_examples(["a"], [[]], ["e"])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("predictions", "candidates"), ("cands", "candidates"), ("hypotheses", "candidates"), ("refs", "references"),
        ("sources", "contexts"), ("context", "contexts"), ("question", "questions"), ("candidatse", "candidates"),
    ],
)  # fmt: skip
def test_names_that_other_tools_have(name: str, meant: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'. Did you mean '{meant}'"):
        check_arguments([name], "score")


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
    lists: list[Any] = [[10, 2], np.array([10, 2]), pd.Series([10, 2])]
    for ids in lists:
        assert [example.id for example in make_examples(["a", "b"], ["c", "d"], ids=ids)] == ["10", "2"]


@pytest.mark.parametrize("ids", [["owl", "owl"], [1, "1"]])
def test_ids_that_are_not_unique(ids: list[object]) -> None:
    assert complaint(ids=ids) == f"2 of the ids are {str(ids[0])!r}"
