"""File formats by suffix or by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

INPUTS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
OUTPUTS = {suffix: name for suffix, name in INPUTS.items() if name != "json"}
"""A JSON list cannot be written row by row and still be valid if the process dies."""


def format_of(path: str | Path, name: str | None, known: Mapping[str, str]) -> str | None:
    """Return the format that is named, else the suffix's; ``None`` for a suffix that is not known."""
    if name is None:
        return known.get(Path(path).suffix.lower())
    if name not in known.values():
        formats = dict.fromkeys(known.values())
        raise ConfigError(
            f"unknown format {name!r}; there are {', '.join(formats)}.{did_you_mean(name, formats)}"
        )
    return name
