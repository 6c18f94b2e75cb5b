"""HUSE's ratings: a line a worker, several texts a line."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.io.datasets.conftest import Folder

BIKE, CAKE = "Ola got a new bike. It was red.", 'Ben baked a "plain" cake.  He was proud.'
TEXTS = {
    "ROC": [(BIKE, "He rode it to school."), (CAKE, "The cake was a bike.")],
    "HUMAN_ROC": [
        (BIKE, "Ola rode all day."),
        (CAKE.replace('"', "").replace("  ", " "), "They ate all of it."),
    ],
}


def header(texts: int = 2) -> list[str]:
    inputs = [f"Input.{name}{i}" for i in range(texts) for name in ("IDX", "CTX", "TYPE", "OUT", "LOGP")]
    # As in the release: answers in the order of their names as texts, and two columns that no row fills.
    return ["HITId", "WorkerId", *inputs, *sorted(f"Answer.{i}" for i in range(texts)), "Approve", "Reject"]


def worker(kind: str, *answers: str, texts: list[tuple[str, str]] | None = None) -> list[str]:
    inputs = [
        cell
        for index, (context, out) in enumerate(texts or TEXTS[kind])
        for cell in (str(index), context, kind, out, "-3.5")
    ]
    return ["hit", "worker", *inputs, *answers]


def table(*rows: list[str], head: list[str] | None = None) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([head or header(), *rows])
    return out.getvalue()


NO_SYSTEM = "no text of a system: there are no rows, or every TYPE starts with HUMAN"
GOOD = table(
    worker("ROC", "Typical", "Invalid"),
    worker("HUMAN_ROC", "Very Typical", "Average"),
    worker("ROC", "Rare", "Specific"),
    worker("ROC", "Average", "Invalid"),
)


def test_workers_are_joined_and_human_texts_are_references(folder: Folder) -> None:
    dataset = folder.load("roc.csv", GOOD)
    first, second = dataset
    assert dataset.references_left_out == 2
    assert (first.example.candidate, second.example.candidate) == (
        "He rode it to school.",
        "The cake was a bike.",
    )
    assert (first.example.context, second.example.context) == (BIKE, CAKE)
    assert first.example.references == ("Ola rode all day.",)
    assert second.example.references == ("They ate all of it.",)
    assert (first.ratings, second.ratings) == ((5.0, 2.0, 4.0), (1.0, 3.0, 1.0))
    assert first.human == pytest.approx(11 / 3)
    assert first.aspects == {"typicality": first.human}
    assert {row.system for row in dataset} == {"ROC"}


def test_ids_follow_from_the_texts_alone(folder: Folder) -> None:
    lines = GOOD.splitlines()
    turned = "\n".join([lines[0], *reversed(lines[1:])])
    loaded = [folder.load("a.csv", GOOD), folder.load("b.csv", turned)]
    ids = [{row.example.candidate: row.id for row in dataset} for dataset in loaded]
    assert ids[0] == ids[1]
    assert len(set(ids[0].values())) == 2


def test_numbers_and_any_case_are_answers(folder: Folder) -> None:
    content = table(worker("ROC", " very typical", "3"), worker("HUMAN_ROC", "Rare", "Rare"))
    first, second = folder.load("roc.csv", content, format="roc")
    assert (first.ratings, second.ratings) == ((6.0,), (3.0,))


def test_more_than_ten_texts_a_line(folder: Folder) -> None:
    texts = [(f"Context {i}.", f"Text {i}.") for i in range(12)]
    names = sorted(f"Answer.{i}" for i in range(12))
    answers = [str(1 + int(name.split(".")[1]) % 6) for name in names]
    rows = [worker(kind, *answers, texts=texts) for kind in ("SUM", "HUMAN_SUM")]
    dataset = folder.load("sum.csv", table(*rows, head=header(12)))
    assert {row.example.candidate: row.human for row in dataset} == {
        f"Text {i}.": 1 + i % 6 for i in range(12)
    }


@pytest.mark.parametrize(
    ("rows", "problem", "line"),
    [
        ([worker("ROC", "Typical", "Odd")], "item 'ROC 1': Answer.1 is 'Odd'", 2),
        ([worker("ROC", "Typical", "7")], "item 'ROC 1': Answer.1 is '7'", 2),
        ([worker("ROC", "Typical", "nan")], "item 'ROC 1': Answer.1 is 'nan'", 2),
        (
            [worker("HUMAN_ROC", "Rare", "Rare"), worker("ROC", "", "Rare")],
            "item 'ROC 0': Answer.0 is empty",
            3,
        ),
        ([worker("", "Rare", "Rare", texts=TEXTS["ROC"])], "item ' 0': Input.TYPE0 is empty", 2),
        ([worker("ROC", "Rare", "Rare")], f"no human text for the context {BIKE!r} of system 'ROC'", 2),
        (
            [worker("HUMAN_ROC", "Rare", "Rare")],
            NO_SYSTEM,
            None,
        ),
        ([], NO_SYSTEM, None),
        ([worker("ROC", "Rare")], "the row has 13 cells, but the header has 16", 2),
    ],
)
def test_bad_files(folder: Folder, rows: list[list[str]], problem: str, line: int | None) -> None:
    error = folder.error("roc.csv", table(*rows))
    assert error.problem == problem
    assert error.line == line


def test_headers_of_another_kind(folder: Folder) -> None:
    error = folder.error("roc.csv", "CTX0,OUT0\na,b\n", format="huse")
    assert error.problem == "the header has no column 'Input.OUT0', so this is not a file of HUSE's ratings"
    head = [name for name in header() if name != "Answer.1"]
    error = folder.error("roc.csv", table(worker("ROC", "Rare"), head=head))
    assert error.problem == "the header has no column 'Answer.1', so this is not a file of HUSE's ratings"
    error = folder.error("roc.csv", table(worker("ROC", "Rare", "Rare"), head=[*header(), "Answer.1"]))
    assert error.problem == "the header has 2 columns 'Answer.1'"
