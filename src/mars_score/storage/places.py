"""Where the cache is, and how large it may grow: from the environment, else by default."""

from __future__ import annotations

import os
import re
from pathlib import Path

from mars_score.errors import ConfigError

# Sizes as people write them: 800M, 2G.

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def bytes_of(text: str) -> int | None:
    """Return the bytes that a text stands for; ``None`` if it is no size."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)\s*([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    return int(float(match[1]) * _UNITS[match[2].upper()]) if match else None


# Where the cache is, and how large it may grow: from the environment, else by default.

FOLDER, SIZE = "MARS_SCORE_CACHE", "MARS_SCORE_CACHE_SIZE"
"""The variables of the environment."""
DEFAULT_SIZE = 2 << 30


def cache_folder() -> Path:
    """Return the folder of the cache; it may not be there yet."""
    folder = os.environ.get(FOLDER)
    if folder:
        return Path(folder).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("mars-score", appauthor=False)).absolute() / "augmentations"


def cache_size() -> int:
    """Return how many bytes the cache may have; 0 means that there is none."""
    text = os.environ.get(SIZE, "").strip()
    size = bytes_of(text) if text else DEFAULT_SIZE
    if size is None:
        raise ConfigError(f"{SIZE}={text}: expected a size like 500M or 2G, or 0 for no cache")
    return size
