"""Converters: a fetched file -> the files that are loaded. Each is ``convert(source, folder)``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Converter:
    """Where a converter is; its module is imported when it runs, since some need torch."""

    module: str | None
    """``None``: the files are kept as they are."""
    version: int = 1
    """Raised when its output changes; models that an older version made are fetched again."""

    def run(self, source: Path, folder: Path) -> None:
        """Convert one file into a folder."""
        if self.module:
            import_module(self.module).convert(source, folder)


CONVERTERS = {
    "copy": Converter(None),
    "gguf": Converter("mars_score.models.convert.gguf"),
    "glove-json": Converter("mars_score.models.convert.glove_json"),
    "glove-text": Converter("mars_score.models.convert.glove_text"),
}
