"""The store: finding, checking, replacing and removing models, alone and with others."""

from __future__ import annotations

import multiprocessing
import os
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ModelError
from mars_score.models import manifest
from mars_score.models.manifest import sha256_of
from mars_score.models.store import ModelStore, SilentReport, default_root

from .conftest import Heard
from .fakes import CATALOGUE, WEIGHTS, fill_archives

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier
    from pathlib import Path


def states(store: ModelStore) -> dict[str, str]:
    return {status.entry.name: status.state for status in store.status()}


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_an_absent_model_names_the_command(store: ModelStore) -> None:
    with pytest.raises(ModelError, match="mars-score models get tiny"):
        store.path("tiny")
    assert store.verify("tiny") == ["it is absent"]


def test_an_unknown_name(store: ModelStore) -> None:
    for method in (store.path, store.ensure, store.verify, store.remove):
        with pytest.raises(ModelError, match="Did you mean 'tiny'"):
            method("tinny")


def test_a_finished_model_is_not_fetched_again(store: ModelStore, heard: Heard) -> None:
    store.ensure("tiny")
    heard.lines.clear()
    store.ensure("tiny")
    assert heard.lines == []


def test_verify_finds_a_flipped_bit(store: ModelStore) -> None:
    folder = store.ensure("tiny")
    assert store.verify("tiny") == []
    flip_a_bit(folder / "model.safetensors")
    assert store.path("tiny") == folder  # sizes alone do not tell
    assert store.verify("tiny") == ["model.safetensors has changed: its sha256 is not the recorded one"]


def test_verify_finds_missing_longer_and_foreign_files(store: ModelStore) -> None:
    folder = store.ensure("tiny")
    (folder / "LICENSE").unlink()
    (folder / "sub/config.json").write_bytes(b"longer" * 100)
    (folder / "pytorch_model.bin").write_bytes(b"?")
    assert store.verify("tiny") == [
        "LICENSE is missing",
        "sub/config.json has 600 bytes instead of 22",
        "pytorch_model.bin does not belong here",
    ]


@pytest.mark.parametrize("name", ["model.safetensors", "manifest.json"])
def test_a_damaged_model_is_reported_and_fetched_again(store: ModelStore, heard: Heard, name: str) -> None:
    folder = store.ensure("tiny")
    (folder / name).write_bytes(b"cut")
    assert states(store)["tiny"] == "damaged"
    with pytest.raises(ModelError, match=f"damaged.*{name}"):
        store.path("tiny")
    store.ensure("tiny")
    assert any(line.startswith("tiny is damaged") and name in line for line in heard.lines)
    assert store.verify("tiny") == []


def test_remove(store: ModelStore) -> None:
    folder = store.ensure("tiny")
    assert store.remove("tiny")
    assert not folder.exists()
    assert states(store)["tiny"] == "absent"
    assert not store.remove("tiny")


def test_terms_must_be_accepted_once(store: ModelStore) -> None:
    with pytest.raises(ModelError, match=r"Be kind\.\n.*--accept-terms guarded"):
        store.ensure("guarded")
    assert states(store)["guarded"] == "absent"
    folder = store.ensure("guarded", accept_terms=True)
    assert store.ensure("guarded") == folder


def test_leftovers_of_a_crash_do_no_harm(store: ModelStore) -> None:
    left = store.root / ".work" / "tiny" / "model" / "stray.txt"
    left.parent.mkdir(parents=True)
    left.write_text("from a process that was killed")
    assert not (store.ensure("tiny") / "stray.txt").exists()


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_all_files_can_be_read_by_whom_the_manifest_can(store: ModelStore) -> None:
    modes = {path.stat().st_mode for path in store.ensure("tiny").rglob("*") if path.is_file()}
    assert len(modes) == 1


def test_a_store_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelError, match="MARS_SCORE_HOME"):
        ModelStore(tmp_path / "file", SilentReport(), CATALOGUE).ensure("tiny")


def test_where_the_store_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_SCORE_HOME", str(tmp_path))
    assert default_root() == tmp_path
    monkeypatch.delenv("MARS_SCORE_HOME")
    assert default_root().name == "models"
    assert "mars-score" in default_root().parts


def _ensure(root: Path, barrier: Barrier, heard: Queue[str]) -> None:
    barrier.wait()
    report = Heard()
    folder = ModelStore(root, report, CATALOGUE).ensure("tiny")
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    heard.put("fetched" if "recording tiny" in report.lines else "found")


def test_processes_that_fetch_at_once_all_end_well(tmp_path: Path) -> None:
    fill_archives(tmp_path)
    context = multiprocessing.get_context("spawn")
    barrier, heard = context.Barrier(3), context.Queue()
    processes = [context.Process(target=_ensure, args=(tmp_path, barrier, heard)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert sorted(heard.get(timeout=5) for _ in processes) == ["fetched", "found", "found"]
    assert not any((tmp_path / ".work").iterdir())


def test_what_is_loaded_is_compared_with_its_record(store: ModelStore, heard: Heard) -> None:
    folder = store.ensure("tiny")
    heard.lines.clear()
    assert store.verified("tiny") == folder
    assert heard.lines == []
    flip_a_bit(folder / "model.safetensors")
    assert store.ensure("tiny") == folder  # sizes alone do not tell
    assert store.verified("tiny") == folder
    assert (
        "tiny is damaged: model.safetensors has changed: its sha256 is not the recorded one; it is fetched again"
        in heard.lines
    )
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert store.verify("tiny") == []


def test_files_are_read_once_a_change(
    store: ModelStore, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = store.ensure("tiny")
    weights = folder / "model.safetensors"
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    monkeypatch.setattr(manifest, "_FRESH", -1)  # their inodes have changed just now
    assert store.verified("tiny") == folder
    read: list[Path] = []

    def noted(path: Path, advance: object = None) -> str:
        read.append(path)
        return sha256_of(path)

    monkeypatch.setattr(manifest, "sha256_of", noted)
    manifest._sha256_of_version.cache_clear()  # as in another process
    assert store.verified("tiny") == folder
    assert read == []
    assert ModelStore(store.root, heard, store.catalogue, every_byte=True).verified("tiny") == folder
    assert weights in read
    read.clear()
    flip_a_bit(weights)
    os.utime(weights, (1, 1))  # as it was; but not its inode
    assert store.verified("tiny") == folder
    assert read[:1] == [weights]
    assert weights.read_bytes() == WEIGHTS


def test_a_changed_model_that_cannot_be_fetched_is_refused(store: ModelStore) -> None:
    folder = store.ensure("tiny")
    flip_a_bit(folder / "sub/config.json")
    for archive in store.archives.iterdir():
        archive.unlink()
    with pytest.raises(ModelError, match="cannot be fetched"):
        store.verified("tiny")


def test_a_file_beside_the_recorded_ones_does_not_matter(store: ModelStore) -> None:
    folder = store.ensure("tiny")
    (folder / "note.txt").write_text("mine")
    assert store.verified("tiny") == folder
    assert (folder / "note.txt").exists()
