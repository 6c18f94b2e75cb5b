"""Parquet needs pyarrow, which is an extra: it is imported only where it is used."""

from __future__ import annotations

import importlib
from typing import Any

NEEDED = "Parquet needs the package pyarrow, which is not installed"
INSTALL = "pip install 'mars-score[parquet]', or use .jsonl"


def load() -> tuple[Any, Any]:
    """Return the modules ``pyarrow`` and ``pyarrow.parquet``; ``ImportError`` where there is none."""
    return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
