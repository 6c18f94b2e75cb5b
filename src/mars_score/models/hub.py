"""Models named by a Hugging Face id: from the local Hugging Face cache, or downloaded into it."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from mars_score.errors import FetchError, ModelError

# Safetensors and text only: pickled weights run code as they are loaded.
_PATTERNS = ["*.json", "*.txt", "*.model", "*.safetensors"]


def fetch_from_hub(name: str) -> Path:
    """Return the folder of a hub model, downloading it unless the cache has all of it."""
    import huggingface_hub as hub  # noqa: PLC0415  (only when a hub model is named)
    from huggingface_hub.errors import RepositoryNotFoundError  # noqa: PLC0415

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
