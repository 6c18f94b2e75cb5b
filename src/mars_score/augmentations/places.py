"""Where the cache is, and how large it may grow: from the environment, else by default."""

from __future__ import annotations

import os
from pathlib import Path

from mars_score.errors import ConfigError
from mars_score.sizes import bytes_of

FOLDER, SIZE = "MARS_SCORE_CACHE", "MARS_SCORE_CACHE_SIZE"
"""The variables of the environment."""
DEFAULT_SIZE = 2 << 30


def cache_folder() -> Path:
    """Return the folder of the cache; it may not be there yet."""
    folder = os.environ.get(FOLDER)
    if folder:
        return Path(folder).expanduser().absolute()
    import platformdirs  # noqa: PLC0415  (not needed when the folder is set)

    return Path(platformdirs.user_cache_dir("mars-score", appauthor=False)).absolute() / "augmentations"


def cache_size() -> int:
    """Return how many bytes the cache may have; 0 means that there is none."""
    text = os.environ.get(SIZE, "").strip()
    size = bytes_of(text) if text else DEFAULT_SIZE
    if size is None:
        raise ConfigError(f"{SIZE}={text}: expected a size like 500M or 2G, or 0 for no cache")
    return size
