"""From a name in the settings to a model: of the catalogue, a local folder, or a Hugging Face id."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mars_score.errors import FetchError, ModelError, did_you_mean
from mars_score.models.catalogue import Catalogue, default_catalogue
from mars_score.models.manifest import sha256_once
from mars_score.models.safety import refuse_code

if TYPE_CHECKING:
    from mars_score.models.store import ModelStore


# Models named by a Hugging Face id: from the local Hugging Face cache, or downloaded into it.

# Safetensors and text only: pickled weights run code as they are loaded.
_PATTERNS = ["*.json", "*.txt", "*.model", "*.safetensors"]


def fetch_from_hub(name: str) -> Path:
    """Return the folder of a hub model, downloading it unless the cache has all of it."""
    import huggingface_hub as hub
    from huggingface_hub.errors import RepositoryNotFoundError

    # Absent from the cache, in whichever way the library says so: then it is downloaded.
    with suppress(Exception):
        cached = Path(hub.snapshot_download(name, allow_patterns=_PATTERNS, local_files_only=True))
        if _complete(cached):
            return cached
    try:
        folder = Path(hub.snapshot_download(name, allow_patterns=_PATTERNS))
    except RepositoryNotFoundError as error:
        raise ModelError(f"the Hugging Face hub has no public model {name!r}") from error
    # The library raises its own errors, those of its HTTP client and those of the operating system.
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise FetchError(
            f"model {name!r} cannot be fetched from the Hugging Face hub: {reason}\n"
            f"  remedy: on a machine with access run `hf download {name}`, copy the folder that it prints "
            "(config.json, the tokenizer's files and *.safetensors) to this machine, and give that folder's "
            f"path in place of {name!r}"
        ) from error
    if not _complete(folder):
        raise ModelError(
            f"the Hugging Face model {name!r} has no complete weights in safetensors; other formats can "
            "run code as they are loaded and are never read\n"
            "  remedy: name a model that has a model.safetensors"
        )
    return folder


def _complete(folder: Path) -> bool:
    """Whether a snapshot has a config and all the weights that its index lists."""
    shards: set[str] = set()
    for index in folder.glob("*.safetensors.index.json"):
        shards |= set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    weights = (
        all((folder / shard).is_file() for shard in shards) if shards else any(folder.glob("*.safetensors"))
    )
    return (folder / "config.json").is_file() and weights


# From a name in the settings to a model: a folder, a hash of its weights, and how its texts begin.

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_HASH_LENGTH = 8
_WEIGHTS = ".safetensors"
_READ = (_WEIGHTS, ".json", ".txt", ".model")
"""Weights, and what else decides the numbers: settings, vocabularies, tokenizers, and how states are pooled."""


Source = Literal["store", "folder", "hub"]


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model that is ready to be loaded."""

    name: str
    """As the settings spell it."""
    source: Source
    location: str
    """The folder to load from."""
    weights_hash: str
    """8 hex digits that change with the weights."""
    start_token: int | None = None
    """The token that texts begin with; ``None``: the tokenizer knows."""
    role: str = ""


def resolve(name: str, role: str | tuple[str, ...], store: ModelStore) -> ResolvedModel:
    """Find a model of one of the roles: of the catalogue (fetched if absent), a local folder or a hub id."""
    roles = (role,) if isinstance(role, str) else role
    source = source_of(name, roles, store)
    if source == "store":
        entry = store.catalogue[name]
        location = str(store.ensure(name))
        return ResolvedModel(
            name, "store", location, catalogue_hash(name, store.catalogue), entry.start_token, entry.role
        )
    if source == "folder":
        folder = Path(name).expanduser()
        kind = _role_of(folder, roles)
        _check_safe(folder, kind)
        return ResolvedModel(name, "folder", str(folder.resolve()), folder_hash(folder, kind), None, kind)
    pass

    folder = fetch_from_hub(name)
    _check_safe(folder, roles[0])
    return ResolvedModel(name, "hub", str(folder), folder_hash(folder, roles[0]), None, roles[0])


def source_of(name: str, roles: tuple[str, ...], store: ModelStore) -> Source:
    """Say where a model would come from, without fetching it; an unknown or unfit name is an error."""
    if name in store.catalogue:
        entry = store.catalogue[name]
        if entry.role not in roles:
            fitting = ", ".join(item.name for item in store.catalogue if item.role in roles)
            raise ModelError(
                f"model {name!r} is of the kind {entry.role}; "
                f"here one of the kind {' or '.join(roles)} is needed ({fitting})"
            )
        return "store"
    if name and Path(name).expanduser().is_dir():
        return "folder"
    if _HUB_ID.fullmatch(name):
        return "hub"
    known = [entry.name for entry in store.catalogue]
    raise ModelError(
        f"unknown model {name!r}: neither a model of the catalogue ({', '.join(known)}), nor a folder, "
        f"nor a Hugging Face id of the form organisation/name.{did_you_mean(name, known)}"
    )


def catalogue_hash(name: str, catalogue: Catalogue | None = None) -> str:
    """Return the weights hash of a catalogue model; it follows from the pinned hashes and reads no file."""
    return (catalogue or default_catalogue())[name].hash[:_HASH_LENGTH]


def folder_hash(folder: Path, role: str) -> str:
    """Return the hash of a folder: over the names and contents of all files that loading it reads."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if role not in ("tagger", "wordnet"):  # those have no weights in safetensors: all their files count
        files = [path for path in files if path.suffix in _READ]
        files = files if any(path.suffix == _WEIGHTS for path in files) else []
    if not files:
        raise ModelError(
            f"{folder} has no .safetensors file; weights in other formats (.bin, .pt) can run code as they "
            "are loaded and are never read\n"
            "  remedy: save the model again with save_pretrained, or name another one"
        )
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()} {sha256_once(path)}\n".encode())
    return digest.hexdigest()[:_HASH_LENGTH]


def _check_safe(folder: Path, role: str) -> None:
    """Refuse code that comes with a model; a tagger's settings are checked where it is loaded."""
    if role not in ("tagger", "wordnet", "word-vectors"):
        refuse_code(folder)


def _role_of(folder: Path, roles: tuple[str, ...]) -> str:
    """Tell word vectors from transformers where both would do."""
    vectors = (folder / "words.txt").is_file() and (folder / "vectors.safetensors").is_file()
    fitting = [role for role in roles if (role == "word-vectors") == vectors]
    if not fitting:
        found = "word vectors" if vectors else "no word vectors (words.txt, vectors.safetensors)"
        raise ModelError(f"{folder} holds {found}; here a model of the kind {' or '.join(roles)} is needed")
    return fitting[0]
