"""Newsroom's human evaluation: one line a rating, HTML texts, references from elsewhere."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.io.datasets.conftest import Folder

COLUMNS = (
    "ArticleID,System,ArticleText,SystemSummary,ArticleTitle,"
    "CoherenceRating,FluencyRating,InformativenessRating,RelevanceRating"
)
HEADER = COLUMNS.split(",")
ARTICLES = {
    "7": (
        "Harbour reopens",
        "The harbour opened again.</p><p>Boats &amp; crews came back.",
        "The port is open.",
    ),
    "9": ("&#8216;Quiet&#8217; year", "Nothing much happened this year.", "A dull year."),
}
Ratings = tuple[int, int, int, int]


def line(article: str, system: str, ratings: Ratings, summary: str | None = None) -> list[object]:
    title, text, _ = ARTICLES[article]
    return [article, system, text, summary or f"{system} on {article} &quot;now&quot;", title, *ratings]


LINES = [
    line("7", "textrank", (4, 3, 2, 1)),
    line("7", "pointer_n", (5, 5, 5, 5)),
    line("9", "textrank", (2, 2, 2, 2)),
    line("7", "textrank", (2, 3, 4, 5)),
    line("7", "pointer_n", (1, 2, 1, 2)),
    line("9", "textrank", (4, 4, 4, 2)),
]


def table(lines: list[list[object]], references: bool = True, header: list[str] = HEADER) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*header, "ReferenceSummary"] if references else header)
    writer.writerows([*line, ARTICLES[str(line[0])][2]] if references else line for line in lines)
    return out.getvalue()


def test_raters_of_a_summary_are_joined(folder: Folder) -> None:
    dataset = folder.load("human-eval.csv", table(LINES))
    assert [row.id for row in dataset] == ["7/textrank", "7/pointer_n", "9/textrank"]
    first, second, third = dataset
    assert first.ratings == (2.5, 3.5)
    assert first.human == 3.0
    assert first.aspects == {"coherence": 3.0, "fluency": 3.0, "informativeness": 3.0, "relevance": 3.0}
    assert second.ratings == (5.0, 1.5)
    assert second.aspects == {"coherence": 3.0, "fluency": 3.5, "informativeness": 3.0, "relevance": 3.5}
    assert third.ratings == (2.0, 3.5)
    assert first.item == second.item != third.item
    assert dataset.systems == ("textrank", "pointer_n")


def test_texts_are_no_longer_html(folder: Folder) -> None:
    row = folder.load("human-eval.csv", table(LINES)).rows[0]
    assert row.example.context == "The harbour opened again.\nBoats & crews came back."
    assert row.example.candidate == 'textrank on 7 "now"'
    assert row.example.references == ("The port is open.",)


def test_the_order_of_columns_does_not_matter(folder: Folder) -> None:
    turned = table([[*reversed(line)] for line in LINES], references=False, header=HEADER[::-1])
    rows = [f"{text},{'ReferenceSummary' if i == 0 else 'A.'}" for i, text in enumerate(turned.splitlines())]
    dataset = folder.load("human-eval.csv", "\n".join(rows))
    assert [row.human for row in dataset] == [row.human for row in folder.load("b.csv", table(LINES))]


def released(folder: Folder, *articles: tuple[str, str, str]) -> Path:
    rows = [
        {"title": title, "text": text, "summary": summary, "date": 1} for title, text, summary in articles
    ]
    return folder.put("test.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


HARBOUR = ("Harbour reopens", "The harbour opened again.\n\nBoats & crews came back.", "The port is open.")
QUIET = ("'Quiet'  year", "Nothing much happened this year.", "A dull year.")
OTHER = ("Another title", "Another text.", "Another summary.")


def test_references_come_from_the_release(folder: Folder) -> None:
    path = released(folder, OTHER, QUIET, HARBOUR)
    dataset = folder.load("human-eval.csv", table(LINES, references=False), references=path)
    assert dataset.content_hash == folder.load("b.csv", table(LINES)).content_hash


def test_articles_that_share_a_title_are_told_apart_by_their_text(folder: Folder) -> None:
    twin = ("Harbour reopens", "Quite another harbour opened.", "Wrong.")
    path = released(folder, twin, HARBOUR, QUIET)
    dataset = folder.load("human-eval.csv", table(LINES, references=False), references=path)
    assert dataset.rows[0].example.references == ("The port is open.",)


def test_a_text_that_was_edited_is_found_by_its_title(folder: Folder) -> None:
    path = released(folder, ("Harbour reopens", "Update: it opened.", "The port is open."), QUIET)
    dataset = folder.load("human-eval.csv", table(LINES, references=False), references=path)
    assert dataset.rows[0].example.references == ("The port is open.",)


@pytest.mark.parametrize(
    ("articles", "problem"),
    [
        ([HARBOUR], "no article with a summary for article '9'"),
        (
            [("Harbour reopens", "a", "b"), ("Harbour reopens", "c", "d"), QUIET],
            "2 articles with a summary for",
        ),
    ],
)
def test_references_that_cannot_be_told(
    folder: Folder, articles: list[tuple[str, str, str]], problem: str
) -> None:
    path = released(folder, *articles)
    with pytest.raises(Exception, match=problem) as caught:
        folder.load("human-eval.csv", table(LINES, references=False), references=path)
    assert str(path) in str(caught.value)


def test_no_references_at_all(folder: Folder) -> None:
    error = folder.error("human-eval.csv", table(LINES, references=False))
    assert error.problem == "no reference summary: the column 'ReferenceSummary' is missing or empty"
    assert error.line == 2
    assert error.remedy is not None
    assert "references='test.jsonl'" in error.remedy


def test_raters_who_saw_different_texts(folder: Folder) -> None:
    lines = [*LINES, line("7", "textrank", (1, 1, 1, 1), summary="Something else.")]
    error = folder.error("human-eval.csv", table(lines))
    assert error.problem == "article '7' and system 'textrank' have another SystemSummary on line 2"
    assert error.line == 8


@pytest.mark.parametrize(("rating", "problem"), [("", "is empty"), ("n/a", "must be a number, not 'n/a'")])
def test_a_bad_rating(folder: Folder, rating: str, problem: str) -> None:
    bad: list[object] = [*LINES[1][:6], rating, *LINES[1][7:]]
    error = folder.error("human-eval.csv", table([LINES[0], bad]))
    assert error.problem == f"item '7/pointer_n': FluencyRating {problem}"
    assert error.line == 3


def test_a_missing_column(folder: Folder) -> None:
    header = [name.replace("FluencyRating", "Fluency") for name in HEADER]
    error = folder.error("human-eval.csv", table(LINES, header=header))
    assert (
        error.problem
        == "the header has no column 'FluencyRating', so this is not Newsroom's human evaluation"
    )


def test_a_row_of_the_wrong_width(folder: Folder) -> None:
    error = folder.error("human-eval.csv", table(LINES) + "1,2,3\r\n")
    assert error.problem == "the row has 3 cells, but the header has 10"
    assert error.line == 8


def test_a_table_without_rows(folder: Folder) -> None:
    assert folder.error("human-eval.csv", table([])).problem == "the file has no rows"


def test_fields_cannot_be_mapped(folder: Folder) -> None:
    with pytest.raises(ConfigError, match="read as newsroom"):
        folder.load("human-eval.csv", table(LINES), fields={"human": "FluencyRating"})
