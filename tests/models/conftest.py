from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from mars_score.models.store import ModelStore

from .fakes import CATALOGUE, fill_archives

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Heard:
    """A report that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.questions: list[str] = []
        self.answer = True

    def agree(self, question: str) -> bool:
        self.questions.append(question)
        return self.answer

    def say(self, text: str) -> None:
        self.lines.append(text)

    @contextmanager
    def task(self, text: str, size: int | None = None) -> Iterator[Callable[[int], None]]:
        self.lines.append(text)
        yield lambda _: None


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def store(tmp_path: Path, heard: Heard) -> ModelStore:
    """An empty store; the archives of its catalogue lie in its archive folder."""
    fill_archives(tmp_path / "store")
    return ModelStore(tmp_path / "store", heard, CATALOGUE)


@pytest.fixture(autouse=True)
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip takes for its registry; no test reaches a network."""
    folder = tmp_path / "registry"
    folder.mkdir()
    for name in [name for name in os.environ if name.upper().startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder
