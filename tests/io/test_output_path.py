"""Outputs that cannot be written are refused before anything is computed; and the signature's file."""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ConfigError, OutputError
from mars_score.fingerprint import made_with
from mars_score.io.output import check_writable, write_signatures
from tests.unprivileged import unprivileged

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.tsv", "out.parquet"])
def test_a_good_place_is_left_as_it_was(tmp_path: Path, name: str) -> None:
    check_writable(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / name).write_text("old")
    check_writable(str(tmp_path / name))
    assert (tmp_path / name).read_text() == "old"


def test_standard_output_and_devices(tmp_path: Path) -> None:
    check_writable(None)
    check_writable("-")
    check_writable(os.devnull, "jsonl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "out.jsonl")
    check_writable(tmp_path / "out.jsonl")
    assert write_signatures(tmp_path / "out.jsonl", {"mars": "mars|v1"}) is None
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="Permission denied"):
        check_writable(tmp_path / "out.jsonl")


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"there is no folder .*\n  remedy: mkdir -p .*/no/where"):
        check_writable(tmp_path / "no" / "where" / "out.jsonl")


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").mkdir()
    with pytest.raises(OutputError, match="this is a folder"):
        check_writable(tmp_path / "out.jsonl")


def test_a_file_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="is a file, not a folder"):
        check_writable(tmp_path / "file" / "out.jsonl")


def test_no_permission() -> None:
    with unprivileged() as folder:
        old = folder / "old.jsonl"
        old.write_text("")
        old.chmod(0o400)
        with pytest.raises(OutputError, match="Permission denied"):
            check_writable(old)
        folder.chmod(0o500)
        with pytest.raises(OutputError, match="Permission denied"):
            check_writable(folder / "out.jsonl")
        folder.chmod(0o700)


def test_a_read_only_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(
        OutputError, match=r"cannot be written: Read-only file system\n  remedy: choose a folder"
    ):
        check_writable(tmp_path / "out.jsonl")


def test_the_format_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot tell the format"):
        check_writable(tmp_path / "out.xlsx")
    with pytest.raises(ConfigError, match="unknown format"):
        check_writable(None, "xml")


def test_an_input_is_not_overwritten(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    check_writable(rows, inputs=[rows])
    rows.write_text("{}")
    (tmp_path / "same.jsonl").symlink_to(rows)
    check_writable(tmp_path / "out.jsonl", inputs=["-", rows])
    for path in (rows, tmp_path / "same.jsonl"):
        with pytest.raises(OutputError, match="this is the input"):
            check_writable(path, inputs=["-", rows])


def test_the_signature_lies_beside_the_results(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("")
    sidecar = write_signatures(out, {"mars": "mars|é"}, {"input": "rows.jsonl", "rows": 2})
    assert sidecar == tmp_path / "out.jsonl.signatures.json"
    assert json.loads(sidecar.read_text(encoding="utf-8")) == {
        "signatures": {"mars": "mars|é"},
        "made_with": made_with(),
        "input": "rows.jsonl",
        "rows": 2,
    }
    assert sidecar.stat().st_mode == out.stat().st_mode


@pytest.mark.parametrize("path", ["-", None, os.devnull])
def test_no_place_for_a_signature(path: str | None) -> None:
    assert write_signatures(path, {"mars": "mars|v1"}) is None


def test_a_failed_signature_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.csv"
    sidecar = write_signatures(out, {"mars": "old"})
    assert sidecar is not None

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OutputError, match=r"out\.csv\.signatures\.json: cannot be written: No space left"):
        write_signatures(out, {"mars": "new"})
    assert json.loads(sidecar.read_text())["signatures"] == {"mars": "old"}
    assert list(tmp_path.iterdir()) == [sidecar]
