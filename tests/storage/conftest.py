from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.storage.cache import AugmentationCache

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZE = 50 << 20


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache's folder; nothing is in it, not even the folder is there."""
    monkeypatch.setenv("MARS_SCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", str(SIZE))
    return tmp_path / "cache"


@pytest.fixture
def cache(folder: Path) -> Iterator[AugmentationCache]:
    result = AugmentationCache()
    yield result
    result.database.close()
