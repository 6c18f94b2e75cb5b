"""The store keeps what it is given, and survives what files suffer."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import OutputError
from mars_score.fingerprint import digest
from mars_score.study.store import FILE, ScoreStore, StoredScore, row_key, text_digest
from mars_score.types import Example

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = Example("1", "candidate", ("one", "two"), "context", "question")


def test_scores_come_back(folder: Path) -> None:
    entries = {
        b"a": StoredScore(0.1 + 0.2, ("cleaned", "no_context"), 0.25),
        b"b": StoredScore(None, (), 0.0),
        b"c": StoredScore(-5e-324, (), 1.0),
    }
    with ScoreStore(folder) as store:
        store.add_scores(entries)
    with ScoreStore(folder) as store:
        assert store.scores([b"c", b"a", b"b", b"nothing"]) == entries
        assert store.notice is None


def test_more_keys_than_a_statement_takes(store: ScoreStore) -> None:
    keys = [digest(number) for number in range(1301)]
    store.add_scores({key: StoredScore(float(i), (), 0.0) for i, key in enumerate(keys)})
    result = store.scores(keys)
    assert [result[key].score for key in keys] == [float(i) for i in range(1301)]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_finite_is_undefined(store: ScoreStore, score: float) -> None:
    store.add_scores({b"a": StoredScore(score, ("flag",), 0.0)})
    assert store.scores([b"a"]) == {b"a": StoredScore(None, ("flag",), 0.0)}


def test_kept_values(store: ScoreStore) -> None:
    assert store.get(b"a") is None
    store.keep({b"a": {"x": [1, 0.1, None]}, b"b": "text"})
    assert store.get(b"a") == {"x": [1, 0.1, None]}
    store.keep({b"a": 2})
    assert (store.get(b"a"), store.get(b"b")) == (2, "text")
    with pytest.raises(ValueError, match="JSON"):
        store.keep({b"a": float("nan")})


def test_every_text_counts_and_the_id_does_not() -> None:
    changed = [
        replace(EXAMPLE, candidate="other"),
        replace(EXAMPLE, references=("one",)),
        replace(EXAMPLE, references=("onetwo",)),
        replace(EXAMPLE, references=("two", "one")),
        replace(EXAMPLE, context="", question="contextquestion"),
        replace(EXAMPLE, question=""),
    ]
    digests = {text_digest(example) for example in [EXAMPLE, *changed]}
    assert len(digests) == len(changed) + 1
    assert text_digest(replace(EXAMPLE, id="2")) == text_digest(EXAMPLE)
    assert len({row_key(signature, digest) for signature in ("a", "b") for digest in digests}) == 2 * len(
        digests
    )


def test_lone_surrogates_have_a_hash() -> None:
    assert text_digest(replace(EXAMPLE, candidate="\ud800")) != text_digest(
        replace(EXAMPLE, candidate="\ud801")
    )


@pytest.mark.parametrize("damage", ["not a database", "cut", "other layout"])
def test_a_damaged_file_is_set_aside(folder: Path, damage: str) -> None:
    with ScoreStore(folder) as store:
        store.add_scores({digest(i): StoredScore(float(i), (), 0.0) for i in range(2000)})
    path = folder / FILE
    if damage == "not a database":
        path.write_bytes(b"these are no scores at all, but a text" * 100)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 99")
        connection.close()
    spoilt = path.read_bytes()
    with ScoreStore(folder) as store:
        assert store.notice is not None
        assert "scores.sqlite.damaged-1" in store.notice
        assert store.scores([digest(1)]) == {}
        store.add_scores({b"new": StoredScore(1.0, (), 0.0)})
    assert (folder / "scores.sqlite.damaged-1").read_bytes() == spoilt
    path.write_bytes(b"spoilt again, and it is not SQLite either")
    with ScoreStore(folder) as store:
        assert "damaged-2" in (store.notice or "")


def test_a_killed_process_loses_only_what_was_not_saved(folder: Path) -> None:
    script = """
import os, signal, sys
from mars_score.study.store import StoredScore, ScoreStore
store = ScoreStore(sys.argv[1])
store.add_scores({b"a": StoredScore(1.5, (), 0.0)})
store._db.execute("BEGIN")
store._db.execute("INSERT INTO scores VALUES (?, 2.5, '[]', 0.0)", (b"b",))
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script, str(folder)], check=False, env=environment)
    assert done.returncode == -9
    with ScoreStore(folder) as store:
        assert store.notice is None
        assert set(store.scores([b"a", b"b"])) == {b"a"}


def test_two_processes_may_write(folder: Path) -> None:
    with ScoreStore(folder) as result, ScoreStore(folder) as other:
        result.add_scores({b"a": StoredScore(1.0, (), 0.0)})
        other.add_scores({b"b": StoredScore(2.0, (), 0.0)})
        assert set(result.scores([b"a", b"b"])) == set(other.scores([b"a", b"b"])) == {b"a", b"b"}


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="name another folder"):
        ScoreStore(tmp_path / "file" / "study")
    (tmp_path / "taken" / FILE).mkdir(parents=True)
    with pytest.raises(OutputError, match="cannot be opened"):
        ScoreStore(tmp_path / "taken")
