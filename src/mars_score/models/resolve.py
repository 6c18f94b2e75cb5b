"""From a name in the settings to a model that is safe to load: of the catalogue, a folder, or a Hugging Face id.

A model is untrusted data. Its settings can make the libraries that load it import Python files, to
unpickle weights or to fetch kernels. Whatever asks for that is refused here, before a library sees the folder; and
every load says ``trust_remote_code=False`` besides, in case the folder changes in between.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from mars_score.errors import ConfigError, FetchError, ModelError, did_you_mean
from mars_score.models.catalogue import Catalogue, default_catalogue
from mars_score.models.manifest import sha256_once

if TYPE_CHECKING:
    from mars_score.models.store import ModelStore

PROCESSOR = "cpu"
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_HASH_LENGTH = 8
_WEIGHTS = ".safetensors"
_READ = (_WEIGHTS, ".json", ".txt", ".model")
"""Weights, and what else decides the numbers: settings, vocabularies, tokenizers, and how states are pooled."""
Source = Literal["store", "folder", "hub"]
# Safetensors and text only: pickled weights run code as they are loaded.
_PATTERNS = ["*.json", "*.txt", "*.model", "*.safetensors"]


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
        entry, location = store.catalogue[name], str(store.ensure(name))
        return ResolvedModel(
            name, "store", location, entry.hash[:_HASH_LENGTH], entry.start_token, entry.role
        )
    if source == "folder":
        folder = Path(name).expanduser()
        kind, location = _role_of(folder, roles), str(folder.resolve())
    else:
        folder = fetch_from_hub(name)
        kind, location = roles[0], str(folder)
    # A tagger's settings are checked where it is loaded.
    if kind not in ("tagger", "wordnet", "word-vectors"):
        refuse_code(folder)
    return ResolvedModel(name, source, location, folder_hash(folder, kind), None, kind)


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
    names = [entry.name for entry in store.catalogue]
    raise ModelError(
        f"unknown model {name!r}: neither a model of the catalogue ({', '.join(names)}), nor a folder, "
        f"nor a Hugging Face id of the form organisation/name.{did_you_mean(name, names)}"
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


def _role_of(folder: Path, roles: tuple[str, ...]) -> str:
    """Tell word vectors from transformers where both would do."""
    vectors = (folder / "words.txt").is_file() and (folder / "vectors.safetensors").is_file()
    fitting = [role for role in roles if (role == "word-vectors") == vectors]
    if not fitting:
        content = "word vectors" if vectors else "no word vectors (words.txt, vectors.safetensors)"
        raise ModelError(f"{folder} holds {content}; here a model of the kind {' or '.join(roles)} is needed")
    return fitting[0]


# Models of the Hugging Face hub: from its local cache, or downloaded into it.


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
    weights = [folder / shard for shard in shards] or list(folder.glob("*.safetensors"))
    return bool(weights) and all(path.is_file() for path in [folder / "config.json", *weights])


# What a folder may ask for: weights and settings, never code of its own.

_ADAPTER = "adapter_config.json"
_MODULES = "modules.json"
_INDEX = ".safetensors.index.json"
_KERNELS = ("attn_implementation", "experts_implementation")
_SENTENCE_TRANSFORMERS = "sentence_transformers."

_NATIVE = (
    "name a model of an architecture that transformers has itself; if this one is, delete every auto_map in a copy "
    "of the folder and name the copy"
)


def refuse_code(folder: Path) -> None:
    """Refuse a folder of a transformers model that asks for code, or for files that can hold some."""
    for path in sorted(folder.glob("*.json")):
        if path.name.endswith("config.json"):
            _check_settings(path)
        elif path.name.endswith(_INDEX):
            _check_index(path)
    if (folder / _ADAPTER).exists():
        _refuse(
            folder / _ADAPTER, "an adapter loads another model, which nothing here names",
            "merge the adapter into its model, save that with save_pretrained and name its folder",
        )  # fmt: skip
    if (folder / _MODULES).exists():
        _check_modules(folder / _MODULES)


def _check_settings(path: Path) -> None:
    for key, value in _settings(_read(path)):
        if key == "auto_map" and value:
            _refuse(
                path, f"auto_map asks to run code that comes with the model ({_listed(value)}), which never happens",
                _NATIVE,
            )  # fmt: skip
        if key.lstrip("_") in _KERNELS and "/" in json.dumps(value):
            _refuse(
                path, f"{key} asks to fetch and run a kernel ({_listed(value)}), which never happens",
                f"delete {key} in a copy of the folder and name the copy",
            )  # fmt: skip


def _check_index(path: Path) -> None:
    """Shards must be safetensors beside their index: others would be unpickled, or lie anywhere."""
    index = _read(path)
    shards = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(shards, dict):
        _refuse(path, "it has no weight_map", "save the model again with save_pretrained")
    for shard in sorted(set(map(str, shards.values()))):
        target = PurePosixPath(shard)
        outside = target.is_absolute() or {"..", "\\", ":"} & {*target.parts, *shard}
        if outside or not shard.endswith(".safetensors"):
            _refuse(
                path, f"the shard {shard!r} is no .safetensors file in the folder; others can run code when loaded",
                "save the model again with save_pretrained",
            )  # fmt: skip


def _check_modules(path: Path) -> None:
    """The list of sentence-transformers; its modules are imported by name."""
    listed = _read(path)
    modules = [module for module in listed if isinstance(module, dict)] if isinstance(listed, list) else []
    for kind in (str(module.get("type")) for module in modules):
        if not kind.startswith(_SENTENCE_TRANSFORMERS):
            _refuse(
                path, f"the module {kind} is code that comes with the model, which is never run",
                "name an encoder that is made of the modules of sentence-transformers itself",
            )  # fmt: skip


def _settings(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, however deep."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield from value.items()
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(
            f"{path} cannot be read: {error}\n  remedy: fetch or save the model again, or name another one"
        ) from error


def _listed(value: Any) -> str:
    """The texts in a value, however deep, for a message."""
    texts: list[str] = []
    waiting = [value]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict | list):
            waiting = [*(value.values() if isinstance(value, dict) else value), *waiting]
    text = ", ".join(texts)
    return text if len(text) <= 120 else f"{text[:120]}..."


def _refuse(path: Path, problem: str, remedy: str) -> NoReturn:
    raise ModelError(f"{path}: {problem}\n  remedy: {remedy}")


def check_device(name: str, option: str = "device") -> str:
    """Return a device's name; one that is not there is refused before any model is loaded."""
    if name == PROCESSOR:  # always there; to know of others torch is needed
        return name
    import torch

    try:
        # A number there and back: some devices exist by name and hold nothing.
        float(torch.ones(1, device=name).sum())
    # Each kind of device has errors of its own, of the libraries behind it too.
    except Exception as error:
        reason = (str(error).splitlines() or ["it is not there"])[0]
        raise ConfigError(
            f"{option} {name}: {reason}\n"
            "  remedy: leave the option out to use the processor, or install a torch that is built for this device"
        ) from error
    return name
