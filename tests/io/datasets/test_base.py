"""What identifies a row, an item and a data set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.io.datasets.base import Dataset, Rated
from mars_score.types import Example

ROW = Rated(
    Example(
        "1", "It rained.", ("It poured.", "Rain fell."), "The sky was dark.\nWhat happened?", "What happened?"
    ),
    human=3.5,
    system="weather",
    ratings=(3.0, 4.0),
    aspects={"fluency": 4.0},
    task="question answering",
    source="own",
)
OTHER = replace(ROW, example=replace(ROW.example, id="2", candidate="It was dry."))


def with_example(**changes: object) -> Rated:
    return replace(ROW, example=replace(ROW.example, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "same",
    [
        OTHER,
        replace(ROW, system="another", human=1.0, ratings=()),
        with_example(references=("Rain fell.", "It poured.", "Rain fell.")),
        with_example(references=(" It  poured.\n", "Rain fell.")),
        with_example(context="The sky was  dark. What happened?"),
    ],
)
def test_rows_of_one_item(same: Rated) -> None:
    assert same.item == ROW.item


@pytest.mark.parametrize(
    "different",
    [
        with_example(context="The sky was bright."),
        with_example(references=("It poured.",)),
        with_example(references=("It poured. Rain fell.",)),
        with_example(context="The sky was dark.\nWho came?", question="Who came?"),
    ],
)
def test_rows_of_different_items(different: Rated) -> None:
    assert different.item != ROW.item


def test_the_hash_is_of_the_content_alone() -> None:
    dataset = Dataset("a", (ROW, OTHER))
    renamed = Dataset("b", tuple(replace(row, task="", source="") for row in dataset), references_left_out=3)
    assert renamed.content_hash == dataset.content_hash
    assert len(dataset.content_hash) == 64


@pytest.mark.parametrize(
    "rows",
    [
        (OTHER, ROW),
        (ROW,),
        (ROW, replace(OTHER, human=3.0)),
        (ROW, replace(OTHER, system="sun")),
        (ROW, replace(OTHER, ratings=(4.0, 3.0))),
        (ROW, replace(OTHER, aspects={"fluency": 4.5})),
        (ROW, replace(OTHER, example=replace(OTHER.example, id="3"))),
        (ROW, replace(OTHER, example=replace(OTHER.example, question=""))),
        (ROW, replace(OTHER, example=replace(OTHER.example, context="The sky was dark.\nWhat happened? "))),
    ],
)
def test_the_hash_changes_with_the_content(rows: tuple[Rated, ...]) -> None:
    assert Dataset("a", rows).content_hash != Dataset("a", (ROW, OTHER)).content_hash


@given(st.lists(st.text(), min_size=2, max_size=4), st.text(), st.text())
def test_texts_cannot_run_into_each_other(references: list[str], candidate: str, context: str) -> None:
    joined = (references[0] + references[1], *references[2:])
    apart = [
        Dataset("a", (with_example(references=texts, candidate=candidate, context=context),)).content_hash
        for texts in (tuple(references), joined)
    ]
    assert apart[0] != apart[1]


def test_a_row_can_be_a_key() -> None:
    assert {ROW: 1}[replace(ROW)] == 1


def test_columns() -> None:
    dataset = Dataset("a", (ROW, OTHER, replace(ROW, system="b")))
    assert dataset.systems == ("weather", "b")
    assert dataset.human == (3.5, 3.5, 3.5)
    assert [example.id for example in dataset.examples] == ["1", "2", "1"]
    assert len(dataset) == 3
    assert next(iter(dataset)).id == "1"
