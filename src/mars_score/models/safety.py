"""What a model's folder may ask for: weights and settings, never code of its own.

A model is data from strangers. The libraries that load it can be told by its settings to import Python files, to
unpickle weights or to fetch kernels. Whatever asks for that is refused here, before a library sees the folder; and
every load says ``trust_remote_code=False`` besides, in case the folder changes in between.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NoReturn

from mars_score.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    for key, value in _entries(_read(path)):
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
        inside = not PurePosixPath(shard).is_absolute() and not {"..", "\\", ":"} & {
            *PurePosixPath(shard).parts,
            *shard,
        }
        if not inside or not shard.endswith(".safetensors"):
            _refuse(
                path, f"the shard {shard!r} is no .safetensors file in the folder; others can run code when loaded",
                "save the model again with save_pretrained",
            )  # fmt: skip


def _check_modules(path: Path) -> None:
    """The list of sentence-transformers; its modules are imported by name."""
    listed = _read(path)
    kinds = (
        [str(one.get("type")) for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    )
    for kind in kinds:
        if not kind.startswith(_SENTENCE_TRANSFORMERS):
            _refuse(
                path, f"the module {kind} is code that comes with the model, which is never run",
                "name an encoder that is made of the modules of sentence-transformers itself",
            )  # fmt: skip


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, however deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from one.items()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


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
        one = waiting.pop(0)
        if isinstance(one, str):
            texts.append(one)
        elif isinstance(one, dict | list):
            waiting = [*(one.values() if isinstance(one, dict) else one), *waiting]
    text = ", ".join(texts)
    return text if len(text) <= 120 else f"{text[:120]}..."


def _refuse(path: Path, problem: str, remedy: str) -> NoReturn:
    raise ModelError(f"{path}: {problem}\n  remedy: {remedy}")
