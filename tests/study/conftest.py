from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.study.store import ScoreStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "study"


@pytest.fixture
def store(folder: Path) -> Iterator[ScoreStore]:
    with ScoreStore(folder) as opened:
        yield opened
