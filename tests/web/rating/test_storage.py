"""Ratings on disk: what counts, who shares the file, and which files are refused."""

from __future__ import annotations

import os
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import InputError, OutputError
from mars_score.study.augmentation_ratings import QUESTIONS
from mars_score.web.rating.sheet import Sheet, read_sheet
from mars_score.web.rating.storage import NotSavedError, RatingAnswer, RatingStore
from tests.unprivileged import unprivileged
from tests.web.rating.samples import rows, write_sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def again(store: RatingStore, sheet: Sheet) -> RatingStore:
    return RatingStore(store.path, sheet, make=True, patience=5)


def test_the_last_answer_counts_and_the_history_stays(store: RatingStore) -> None:
    store.add_rater("Ida")
    store.save("Ida", "c1", {"overall": 3})
    store.save("Ida", "c1", {"overall": 5, "relevance": 1})
    store.save("Ida", "c1", {"overall": 5, "relevance": 1})
    store.save("ida", "c1", {"overall": 3})
    assert store.answers_of("Ida") == {"c1": {"overall": 3, "relevance": 1}}
    assert [answer.rating for answer in store.history()] == [3, 5, 1, 3]
    assert store.answers() == [
        RatingAnswer("Ida", "c1", "relevance", 1),
        RatingAnswer("Ida", "c1", "overall", 3),
    ]


def test_one_name_in_two_spellings_is_one_rater(store: RatingStore) -> None:
    assert store.add_rater("Ida Holm") == store.add_rater("IDA holm") == "Ida Holm"
    assert store.raters() == ["Ida Holm"]
    assert store.rater("ida holm") == "Ida Holm"
    assert store.rater("Ida") is None


def test_an_unknown_rater_has_no_answers(store: RatingStore) -> None:
    with pytest.raises(NotSavedError):
        store.save("nobody", "c1", {"overall": 3})
    assert store.answers() == []


def test_every_commit_is_flushed(store: RatingStore) -> None:
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_many_threads_and_two_connections(store: RatingStore, sheet: Sheet) -> None:
    raters = [f"r{number}" for number in range(8)]
    codes = [text.code for text in sheet.texts]
    with again(store, sheet) as other:

        def rate(index: int) -> None:
            rating_store = (store, other)[index % 2]
            rating_store.add_rater(raters[index])
            for number, code in enumerate(codes):
                for question in QUESTIONS:
                    rating_store.save(raters[index], code, {question: (index + number) % 7 + 1})

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(rate, range(8)))
        assert store.answers() == other.answers()
    assert len(store.history()) == 8 * len(codes) * 3
    for index, rater in enumerate(raters):
        assert store.answers_of(rater) == {
            code: dict.fromkeys(QUESTIONS, (index + number) % 7 + 1) for number, code in enumerate(codes)
        }


def test_ratings_of_another_sheet_are_refused(store: RatingStore, tmp_path: Path) -> None:
    other = read_sheet(write_sheet(tmp_path, rows(5), "other"))
    with pytest.raises(OutputError, match=r"another sheet \(sheet.csv, 12 texts\) than .*other.csv"):
        RatingStore(store.path, other, make=True)


def damage_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def write_text(path: Path) -> None:
    path.write_text("no database at all, but somebody's notes " * 20)


def other_database(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE notes (note TEXT)")
    db.close()


def other_layout(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()


@pytest.mark.parametrize("spoil", [damage_pages, cut, write_text, other_database, other_layout])
def test_a_file_that_is_not_in_order_is_refused_and_left_alone(
    sheet: Sheet, spoil: Callable[[Path], None]
) -> None:
    path = sheet.path.with_name("ratings.sqlite")
    with RatingStore(path, sheet, make=True) as store:
        store.add_rater("Ida")
        for text in sheet.texts:
            store.save("Ida", text.code, dict.fromkeys(QUESTIONS, 4))
    spoil(path)
    before = path.read_bytes()
    for make in (True, False):
        with pytest.raises(OutputError, match=r"ratings.sqlite: is [\s\S]*remedy: it was left as it is"):
            RatingStore(path, sheet, make=make)
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.glob("ratings*")) == ["ratings.sqlite"]


@pytest.mark.parametrize("left", ["empty", "gone"])
def test_a_log_without_its_file_is_not_thrown_away(
    store: RatingStore, sheet: Sheet, tmp_path: Path, left: str
) -> None:
    store.add_rater("Ida")
    copy = tmp_path / "copy.sqlite"
    shutil.copy(f"{store.path}-wal", f"{copy}-wal")
    if left == "empty":
        copy.touch()
    before = (tmp_path / "copy.sqlite-wal").read_bytes()
    assert before
    with pytest.raises(OutputError, match=f"is {left}, but copy.sqlite-wal is still there"):
        RatingStore(copy, sheet, make=True)
    assert (tmp_path / "copy.sqlite-wal").read_bytes() == before


def test_an_empty_file_is_a_new_one(sheet: Sheet, tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    path.touch()
    with RatingStore(path, sheet, make=True) as store:
        assert store.add_rater("Ida") == "Ida"


def test_where_no_file_can_be(sheet: Sheet, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file of ratings"):
        RatingStore(tmp_path / "none.sqlite", sheet, make=False)
    assert not (tmp_path / "none.sqlite").exists()
    with pytest.raises(OutputError, match="there is no folder"):
        RatingStore(tmp_path / "no" / "none.sqlite", sheet, make=True)
    with pytest.raises(OutputError, match="this is a folder"):
        RatingStore(tmp_path, sheet, make=True)


def test_a_folder_that_is_read_only(sheet: Sheet) -> None:
    with unprivileged() as folder:
        folder.chmod(0o555)
        with pytest.raises(OutputError, match="cannot be opened"):
            RatingStore(folder / "ratings.sqlite", sheet, make=True)
        folder.chmod(0o755)


def test_a_full_disk_saves_nothing_and_says_so(store: RatingStore, sheet: Sheet) -> None:
    store.add_rater("Ida")
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    saved: dict[str, dict[str, int]] = {}

    def fill() -> None:
        for number in range(10_000):
            store.save("Ida", f"code{number}", {"overall": 4})
            saved[f"code{number}"] = {"overall": 4}

    with pytest.raises(NotSavedError, match="disk that keeps the ratings is full") as raised:
        fill()
    assert raised.value.full
    assert saved
    assert store.answers_of("Ida") == saved
    store._db.execute("PRAGMA max_page_count = 100000")
    store.save("Ida", "later", {"overall": 4})
    with again(store, sheet) as other:
        assert other.answers_of("Ida") == {**saved, "later": {"overall": 4}}


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_goes_away_takes_no_answers(store: RatingStore, replaced: bool) -> None:
    store.add_rater("Ida")
    os.rename(store.path, store.path.with_name("moved.sqlite"))
    if replaced:
        store.path.write_bytes(b"")
    with pytest.raises(NotSavedError, match="moved or deleted"):
        store.save("Ida", "c1", {"overall": 4})


def test_a_locked_file_takes_no_answers(sheet: Sheet, tmp_path: Path) -> None:
    path = tmp_path / "locked.sqlite"
    with RatingStore(path, sheet, make=True, patience=0.1) as store:
        store.add_rater("Ida")
        blocker = sqlite3.connect(path)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(NotSavedError, match="locked") as raised:
            store.save("Ida", "c1", {"overall": 4})
        assert not raised.value.full
        blocker.rollback()
        blocker.close()
        store.save("Ida", "c1", {"overall": 4})
