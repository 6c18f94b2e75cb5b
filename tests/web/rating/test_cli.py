"""`mars-score rate`: what it refuses, and that it stays light."""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
from typing import TYPE_CHECKING

import pytest

from tests.web.rating.samples import rows, write_sheet

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


@pytest.fixture(autouse=True)
def _sheet(cli: CommandLine) -> None:
    write_sheet(cli.folder, rows())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sheet.csv"], "one of --serve, --status and --export FILE.csv"),
        (["sheet.csv", "--serve", "--status"], "one of --serve, --status and --export FILE.csv"),
        (["sheet.csv", "--serve", "--key", "sheet.key.csv"], "--key is for --export"),
        (["shet.csv", "--serve"], "no such file"),
        (["sheet.key.csv", "--serve"], "sheet.key.csv:1: there is no column 'context'"),
        (["sheet.csv", "--status"], "sheet.ratings.sqlite: there is no such file of ratings"),
        (["sheet.csv", "--export", "r.csv"], "there is no such file of ratings"),
        (["sheet.csv", "--serve", "--ratings-db", "sheet.csv"], "is damaged, or no file of ratings"),
        (["sheet.csv", "--serve", "--ratings-db", "no/r.sqlite"], "there is no folder no"),
        (["sheet.csv", "--serve", "--host", "0.0.0.0"], "there is no token"),
        (["sheet.csv", "--serve", "--token", "x"], "at least 8 signs"),
    ],
)
def test_what_is_refused(cli: CommandLine, arguments: list[str], message: str) -> None:
    before = sorted(cli.folder.iterdir())
    done = cli("rate", *arguments)
    assert done.code == 2
    assert message in done.err
    assert sorted(cli.folder.iterdir()) == before


def test_ratings_of_another_sheet(cli: CommandLine) -> None:
    from mars_score.web.rating.sheet import read_sheet
    from mars_score.web.rating.storage import RatingStore

    with RatingStore(cli.folder / "r.sqlite", read_sheet("sheet.csv"), make=True):
        pass
    assert cli("rate", "sheet.csv", "--status", "--ratings-db", "r.sqlite").out == "no rater yet\n"
    empty = cli("rate", "sheet.csv", "--export", "r.csv", "--ratings-db", "r.sqlite")
    assert "nobody has rated anything yet" in empty.err
    write_sheet(cli.folder, rows(3), "other")
    for what in (["--serve"], ["--status"], ["--export", "r.csv"]):
        done = cli("rate", "other.csv", *what, "--ratings-db", "r.sqlite")
        assert done.code == 2
        assert "holds the ratings of another sheet (sheet.csv, 12 texts) than other.csv" in done.err


def test_a_damaged_file_is_told_of(cli: CommandLine) -> None:
    with sqlite3.connect(cli.folder / "sheet.ratings.sqlite") as db:
        db.execute("CREATE TABLE notes (note TEXT)")
    db.close()
    for what in ("--serve", "--status"):
        done = cli("rate", "sheet.csv", what)
        assert done.code == 2
        assert "a database of something else" in done.err


def test_without_the_extra(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "mars_score.web.app.find_spec", lambda name: None if name == "fastapi" else find(name)
    )
    done = cli("rate", "sheet.csv", "--serve")
    assert done.code == 2
    assert "rate --serve needs fastapi" in done.err
    assert "pip install 'mars-score[serve]'" in done.err


def test_status_and_export_need_no_server(cli: CommandLine) -> None:
    code = (
        "import sys; from mars_score.cli.main import run\n"
        "try: run()\n"
        "finally: print(*(n for n in ('torch', 'fastapi', 'starlette', 'uvicorn') if n in sys.modules))"
    )
    for what in ("--help", "--status"):
        done = cli.process("rate", "sheet.csv", what, code=code)
        assert done.out.splitlines()[-1:] in ([""], []), done.out
    assert "mars_score.cli.main" in sys.modules
