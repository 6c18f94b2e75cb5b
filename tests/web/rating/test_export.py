"""From answers to Table 7, and which keys and outputs are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mars_score.study.augmentation_ratings import (
    QUESTIONS,
    Rating,
    augmentation_study,
    key_path,
    key_text,
    read_ratings,
)
from mars_score.web.rating.sheet import read_sheet
from mars_score.web.rating.storage import RatingStore
from tests.web.rating.samples import rows, write_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import CommandLine

RATERS = ("Ida", "o'Neil", "Zo\u00eb 2")


@pytest.fixture
def sheet(cli: CommandLine) -> Path:
    return write_sheet(cli.folder, [replace(row, item=f'{row.item}, "so\ncalled"') for row in rows()])


@pytest.fixture
def store(sheet: Path) -> Iterator[RatingStore]:
    """Three raters, of whom one has not finished; one answer was changed."""
    loaded = read_sheet(sheet)
    with RatingStore(sheet.with_name("sheet.ratings.sqlite"), loaded, make=True) as store:
        for index, rater in enumerate(RATERS):
            store.add_rater(rater)
            for number, text in enumerate(loaded.texts[: 12 - 2 * (index == 2)]):
                given = {question: (number + index + len(question)) % 7 + 1 for question in QUESTIONS}
                store.save(rater, text.code, {question: 8 - rating for question, rating in given.items()})
                store.save(rater, text.code, given)
        yield store


def expected(sheet: Path) -> set[Rating]:
    made = {row.code: row for row in rows()}
    return {
        Rating(
            f'{made[text.code].item}, "so\ncalled"',
            made[text.code].variant,
            question,
            rater,
            float((number + index + len(question)) % 7 + 1),
        )
        for index, rater in enumerate(RATERS)
        for number, text in enumerate(read_sheet(sheet).texts[: 12 - 2 * (index == 2)])
        for question in QUESTIONS
    }


def test_the_study_reads_what_raters_answered(cli: CommandLine, sheet: Path, store: RatingStore) -> None:
    """The form is still open: an export in between is allowed."""
    done = cli("rate", "sheet.csv", "--export", "ratings.csv")
    assert done.code == 0, done.err
    assert done.err == "102 ratings of 3 raters: ratings.csv\nnot complete: Zo\u00eb 2, 10 of 12 texts\n"
    ratings = read_ratings("ratings.csv")
    assert len(ratings) == 102
    assert set(ratings) == expected(sheet)
    study = augmentation_study(ratings)
    assert {rating.n for rating in study.ratings} <= {11, 12} | {10}
    assert len(study.ratings) == 9
    again = cli("rate", "sheet.csv", "--export", "again.csv", "--key", "sheet.key.csv")
    assert again.code == 0
    assert (cli.folder / "again.csv").read_bytes() == (cli.folder / "ratings.csv").read_bytes()


def test_the_study_writes_table_7(cli: CommandLine, store: RatingStore) -> None:
    from tests.study.toys import dataset, write_rows

    write_rows(cli.folder / "toy.jsonl", dataset(3))
    assert cli("rate", "sheet.csv", "--export", "ratings.csv").code == 0
    options = ["--metrics", "candidate_length", "--attacks", "none", "--draws", "20", "--no-report"]
    done = cli("study", "toy.jsonl", "--ratings", "ratings.csv", "--out", "study", *options)
    assert done.code == 0, done.err
    assert '"variant": "mars"' in (cli.folder / "study" / "results.json").read_text()


def test_status(cli: CommandLine, store: RatingStore) -> None:
    store.add_rater("Rosa")
    done = cli("rate", "sheet.csv", "--status")
    assert done.out.splitlines() == [
        "Ida     12 of 12 texts, 36 answers, complete",
        "o'Neil  12 of 12 texts, 36 answers, complete",
        "Zo\u00eb 2   10 of 12 texts, 30 answers, not complete",
        "Rosa    0 of 12 texts, 0 answers, not complete",
    ]


def test_nothing_is_written_over(cli: CommandLine, sheet: Path, store: RatingStore) -> None:
    before = {path: path.read_bytes() for path in cli.folder.iterdir() if path.suffix == ".csv"}
    for name in ("sheet.csv", "sheet.key.csv"):
        done = cli("rate", "sheet.csv", "--export", name)
        assert done.code == 2
        assert f"{name}: this file is there already" in done.err
    assert {path: path.read_bytes() for path in cli.folder.iterdir() if path.suffix == ".csv"} == before


@pytest.mark.parametrize(
    ("output", "message"),
    [("no/ratings.csv", "there is no folder no"), ("ratings.json", "written to a .csv file")],
)
def test_outputs_that_cannot_be(cli: CommandLine, store: RatingStore, output: str, message: str) -> None:
    done = cli("rate", "sheet.csv", "--export", output)
    assert done.code == 2
    assert message in done.err


def test_keys_that_do_not_fit(cli: CommandLine, sheet: Path, store: RatingStore) -> None:
    key = key_path(sheet)
    made = [replace(row, item="x") for row in rows()]
    cases = {
        "no such file": None,
        "sheet.key.csv:1: there is no column 'item'": "code,variant,text\n",
        f"the key has no code '{made[0].code}'": key_text(made[1:]),
        "sheet.key.csv:2: the text of": key_text([replace(made[0], text="Another."), *made[1:]]),
        "sheet.key.csv:2: unknown variant 'best'": key_text([replace(made[0], variant="best"), *made[1:]]),
        "is on line 2 and again on line 3": key_text([made[0], *made]),
    }
    for message, content in cases.items():
        key.unlink(missing_ok=True)
        if content is not None:
            key.write_text(content, newline="")
        done = cli("rate", "sheet.csv", "--export", "ratings.csv")
        assert done.code == 2
        assert message in done.err
        assert not (cli.folder / "ratings.csv").exists()
