from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mars_score.errors import InputError
from mars_score.io.datasets.loading import load_dataset

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.io.datasets.base import Dataset


class Folder:
    """A folder of data sets, and what loading them gives."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, content: str) -> Path:
        path = self.path / name
        path.write_text(content, encoding="utf-8")
        return path

    def load(self, name: str, content: str, **options: Any) -> Dataset:
        return load_dataset(self.put(name, content), **options)

    def error(self, name: str, content: str, **options: Any) -> InputError:
        """Return the error of a file that must not be loaded; it names the file and a remedy."""
        with pytest.raises(InputError) as caught:
            self.load(name, content, **options)
        assert str(caught.value.path) == str(self.path / name)
        assert caught.value.remedy
        return caught.value


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)
