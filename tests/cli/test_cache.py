"""``mars-score cache`` and ``--no-cache``, with toys for models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.storage.cache import FILE

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import CommandLine

ROWS = [
    {
        "id": str(i),
        "candidate": "A candidate.",
        "reference": f"The fox number {i} ran home.",
        "context": "It rained.",
    }
    for i in range(5)
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARS_SCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", "10M")
    return tmp_path / "cache"


@pytest.mark.usefixtures("light")
def test_a_second_run_augments_nothing(cli: CommandLine, folder: Path) -> None:
    cli.put_rows("rows.jsonl", ROWS)
    first = cli("score", "rows.jsonl")
    assert "5 references (5 augmented now, 0 from the cache)" in cli.cost
    second = cli("score", "rows.jsonl")
    assert "5 references (0 augmented now, 5 from the cache)" in cli.cost
    assert first == second
    assert first.code == 0
    assert "augmented references: 5\n" in cli("cache", "info").out
    assert cli("cache", "verify").out == f"ok: 5 augmented references in {folder / FILE}\n"
    assert cli("cache", "clear").out == f"5 augmented references removed from {folder / FILE}\n"
    cli("score", "rows.jsonl")
    assert "5 references (5 augmented now, 0 from the cache)" in cli.cost


@pytest.mark.usefixtures("light")
def test_no_cache(cli: CommandLine, folder: Path) -> None:
    cli.put_rows("rows.jsonl", ROWS)
    assert cli("score", "rows.jsonl", "--no-cache").code == 0
    assert not (folder / FILE).exists()
    assert "augmented references: 0\n" in cli("cache", "info").out
    assert cli("cache", "verify").code == 0
    assert not (folder / FILE).exists()


@pytest.mark.usefixtures("light")
def test_a_damaged_cache_is_told_once_and_the_work_goes_on(cli: CommandLine, folder: Path) -> None:
    cli.put_rows("rows.jsonl", ROWS)
    expected = cli("score", "rows.jsonl").out
    (folder / FILE).write_bytes(b"nonsense " * 1000)
    verified = cli("cache", "verify")
    assert verified.code == 2
    assert "file is not a database" in verified.err
    assert "remedy:" in verified.err
    again = cli("score", "rows.jsonl")
    assert (again.code, again.out) == (0, expected)
    assert cli("cache", "verify").code == 0
    assert f"set aside as damaged: {folder / FILE}.damaged" in cli("cache", "info").out


def test_the_message_about_a_damaged_cache_reaches_the_terminal(cli: CommandLine, folder: Path) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(b"nonsense " * 1000)
    shown = cli.process("cache", "info")
    assert shown.code == 0
    assert shown.err.count("is damaged (file is not a database)") == 1


def test_a_wrong_size_is_refused(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", "much")
    result = cli("cache", "info")
    assert result.code == 2
    assert "MARS_SCORE_CACHE_SIZE=much: expected a size like 500M" in result.err


def test_a_pack_that_is_none(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", ROWS)
    for command in (["score", "rows.jsonl"], ["augment", "rows.jsonl", "-o", "out.jsonl"]):
        result = cli(*command, "--pack", "rows.jsonl")
        assert result.code == 2
        assert "rows.jsonl: this is not a pack of augmented references" in result.err
        assert "remedy:" in result.err
