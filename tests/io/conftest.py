from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mars_score.errors import InputError
from mars_score.io.readers import read_examples

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.types import Example


class Folder:
    """A folder of inputs, and what reading them gives."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, content: str | bytes) -> Path:
        path = self.path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name: str, content: str | bytes, **options: Any) -> list[Example]:
        return list(read_examples(self.put(name, content), **options))

    def error(self, name: str, content: str | bytes, **options: Any) -> InputError:
        """Return the error of a file that must not be read; its path is always the file's."""
        with pytest.raises(InputError) as caught:
            self.read(name, content, **options)
        assert str(caught.value.path) == str(self.path / name)
        assert caught.value.remedy
        return caught.value


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder for property tests, which run many examples in one test."""
    return Folder(tmp_path_factory.mktemp("many"))
