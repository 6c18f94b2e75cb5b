"""``mars-score explain --html``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine, cli, light
from tests.study.report.test_page import Page
from tests.web.explain.sample import EXAMPLES, HUMANS

__all__ = ["cli", "light"]


@pytest.fixture(autouse=True)
def rows(cli: CommandLine, light: None) -> list[dict[str, Any]]:
    """A file of rows, some with a rating."""
    made = [asdict(one) | {"human": HUMANS.get(one.id)} for one in EXAMPLES]
    for row in made:
        row["references"] = list(row["references"])
        del row["question"]
    cli.put_rows("rows.jsonl", made)
    return made


def test_all_rows_become_a_page(cli: CommandLine) -> None:
    result = cli("explain", "rows.jsonl", "--html", "page.html")
    assert (result.code, result.out) == (0, "")
    assert result.err == "page: page.html\n"
    html = Path("page.html").read_text(encoding="utf-8")
    assert "6 candidates of 4 items" in html
    assert "disagreement with people" in html
    scores = {row["id"]: row["scores"]["mars"] for row in cli("score", "rows.jsonl").rows}
    shown = [float(a["data-score"] or "") for _, a in Page(html).tags if a.get("class") == "ex-item"]
    assert shown[0] == pytest.approx(max(scores[f"kiln/{name}"] for name in "abc"), abs=1e-6)


def test_the_limit_is_told(cli: CommandLine) -> None:
    result = cli("explain", "rows.jsonl", "--html", "page.html", "--limit", "2")
    assert result.err == "4 of 6 rows are left out; --limit 6 takes all of them\npage: page.html\n"
    html = Path("page.html").read_text(encoding="utf-8")
    assert "4 rows of the file are not on this page." in html
    assert "texts of other items" in html


def test_chosen_rows_stand_against_the_whole_file(cli: CommandLine) -> None:
    result = cli("explain", "rows.jsonl", "--html", "-", "--id", "kiln/b", "--id", "kiln/a", "--id", "kiln/b")
    assert result.err == "page: standard output\n"
    assert "2 candidates of 1 item" in result.out
    assert "texts of other items" in result.out


def test_ratings_under_another_name(cli: CommandLine, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        row["stars"] = row.pop("human")
    cli.put_rows("rows.jsonl", rows)
    cli("explain", "rows.jsonl", "--html", "page.html")
    assert "disagreement with people" not in Path("page.html").read_text(encoding="utf-8")
    cli("explain", "rows.jsonl", "--html", "page.html", "--field", "human=stars", "--field", "id=id")
    assert "disagreement with people" in Path("page.html").read_text(encoding="utf-8")


def test_ratings_of_tables_and_of_raters(cli: CommandLine) -> None:
    table = (
        "id,candidate,reference,context,human\na,one,two words,three,2\nb,one,two texts,four,\nc,x,y z,q,3\n"
    )
    cli.put("rows.csv", table)
    assert cli("explain", "rows.csv", "--html", "-").out.count("People gave it") == 2
    row = {"candidate": "a", "reference": "b c", "ratings": [1, 2]}
    cli.put("rows.json", json.dumps([row, row | {"ratings": None}]))
    assert "People gave it 1.50." in cli("explain", "rows.json", "--html", "-").out


def test_text_files_have_no_ratings(cli: CommandLine) -> None:
    cli.put("c.txt", "one\ntwo\n")
    cli.put("r.txt", "one thing\nanother thing\n")
    result = cli("explain", "--candidates", "c.txt", "--references", "r.txt", "--html", "page.html")
    assert result.code == 0
    assert "People gave it" not in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--limit", "3"], "--limit is for a page of all rows"),
        (["--html", "p.html", "--limit", "3", "--id", "kiln/a"], "--limit is for a page of all rows"),
        (["--field", "human=stars"], "--field human=NAME is for a page"),
        (["--html", "rows.jsonl"], "this is the input"),
        (["--html", "nowhere/p.html"], "there is no folder nowhere"),
        (["--html", "p.html", "--id", "kiln"], "no row has the id 'kiln'"),
    ],
)
def test_what_cannot_be_is_refused(cli: CommandLine, arguments: list[str], told: str) -> None:
    result = cli("explain", "rows.jsonl", *arguments)
    assert result.code == 2
    assert told in result.err
    assert not Path("p.html").exists()


def test_a_rating_that_is_no_number(cli: CommandLine, rows: list[dict[str, Any]]) -> None:
    cli.put_rows("rows.jsonl", [rows[0] | {"human": "good"}])
    result = cli("explain", "rows.jsonl", "--html", "p.html")
    assert result.code == 2
    assert "human must be a number, not 'good'" in result.err
    assert "remedy: " in result.err
