"""From a name to a model."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ModelError
from mars_score.models.catalogue import default_catalogue
from mars_score.models.resolve import _complete, catalogue_hash, resolve

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.models.store import ModelStore


def make_folder(path: Path, weights: bytes = b"weights") -> Path:
    path.mkdir(parents=True)
    (path / "config.json").write_text("{}")
    (path / "model.safetensors").write_bytes(weights)
    return path


def test_a_catalogue_name_is_fetched(store: ModelStore) -> None:
    store.ensure("guarded", accept_terms=True)
    result = resolve("guarded", "causal-lm", store)
    assert (result.source, result.location, result.start_token) == ("store", str(store.root / "guarded"), 7)
    assert result.weights_hash == catalogue_hash("guarded", store.catalogue)
    assert resolve("tiny", ("encoder", "word-vectors"), store).role == "encoder"


def test_the_catalogue_hash_needs_no_files() -> None:
    hashes = {catalogue_hash(entry.name) for entry in default_catalogue()}
    assert len(hashes) == len(list(default_catalogue()))
    assert all(len(item) == 8 and int(item, 16) >= 0 for item in hashes)


def test_the_wrong_role_is_refused_before_anything_is_fetched(store: ModelStore) -> None:
    with pytest.raises(ModelError, match=r"of the kind encoder.*causal-lm is needed \(guarded\)"):
        resolve("tiny", "causal-lm", store)
    assert not (store.root / "tiny").exists()


def test_a_local_folder(store: ModelStore, tmp_path: Path) -> None:
    first = resolve(str(make_folder(tmp_path / "a")), "encoder", store)
    same = resolve(str(make_folder(tmp_path / "b")), "encoder", store)
    other = resolve(str(make_folder(tmp_path / "c", b"others")), "encoder", store)
    assert (first.source, first.location, first.start_token) == ("folder", str(tmp_path / "a"), None)
    assert first.weights_hash == same.weights_hash != other.weights_hash
    assert len(first.weights_hash) == 8


@pytest.mark.parametrize("name", ["tokenizer.json", "vocab.txt", "1_Pooling/config.json", "spiece.model"])
def test_what_decides_numbers_beside_the_weights_counts(store: ModelStore, tmp_path: Path, name: str) -> None:
    folder = make_folder(tmp_path / "a")
    (folder / name).parent.mkdir(exist_ok=True)
    hashes = set()
    for text in ("one", "other"):
        (folder / name).write_text(text)
        hashes.add(resolve(str(folder), "encoder", store).weights_hash)
    (folder / "README.md").write_text("of no account")
    hashes.add(resolve(str(folder), "encoder", store).weights_hash)
    assert len(hashes) == 2


def test_a_folder_of_word_vectors_is_told_apart(store: ModelStore, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a")
    (tmp_path / "vectors.safetensors").write_bytes(b"numbers")
    assert resolve(str(tmp_path), ("encoder", "word-vectors"), store).role == "word-vectors"
    with pytest.raises(ModelError, match="holds word vectors"):
        resolve(str(tmp_path), "causal-lm", store)


def test_a_folder_with_pickled_weights_alone_is_refused(store: ModelStore, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "a")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"no \.safetensors.*never read"):
        resolve(str(folder), "encoder", store)


def test_a_tagger_is_hashed_by_all_its_files(store: ModelStore, tmp_path: Path) -> None:
    (tmp_path / "config.cfg").write_text("one")
    before = resolve(str(tmp_path), "tagger", store).weights_hash
    (tmp_path / "config.cfg").write_text("other")
    assert resolve(str(tmp_path), "tagger", store).weights_hash != before


@pytest.mark.parametrize("name", ["tinny", "a/b/c", "./absent", "../absent", "/no/where", ""])
def test_an_unknown_model(store: ModelStore, name: str) -> None:
    with pytest.raises(ModelError, match="unknown model") as caught:
        resolve(name, "encoder", store)
    assert ("Did you mean 'tiny'?" in str(caught.value)) == (name == "tinny")


_HUB = """
import sys
from mars_score.errors import ModelError
from mars_score.models import ModelStore, resolve
try:
    print(resolve("someone/something", "encoder", ModelStore(sys.argv[1])))
except ModelError as error:
    print(error)
"""


@pytest.fixture
def hub_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Hugging Face cache of its own, with the network switched off."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "hf" / "hub" / "models--someone--something"


def run_hub(tmp_path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _HUB, str(tmp_path)], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_hub_id_offline_says_what_to_copy(hub_environment: Path, tmp_path: Path) -> None:
    message = run_hub(tmp_path)
    assert "'someone/something' cannot be fetched" in message
    assert "hf download someone/something" in message
    assert "path in place of" in message


def test_a_hub_id_is_found_in_the_local_cache(hub_environment: Path, tmp_path: Path) -> None:
    revision = "0" * 40
    snapshot = make_folder(hub_environment / "snapshots" / revision)
    (hub_environment / "refs").mkdir()
    (hub_environment / "refs" / "main").write_text(revision)
    shown = run_hub(tmp_path)
    assert "source='hub'" in shown
    assert str(snapshot) in shown


def test_a_snapshot_is_complete_with_all_its_shards(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "a")
    assert _complete(folder)
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"w": "model-2.safetensors"}}')
    assert not _complete(folder)
    (folder / "model-2.safetensors").write_bytes(b"w")
    assert _complete(folder)
