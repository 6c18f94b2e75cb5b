"""The signatures beside the results: a number never travels without its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mars_score.files.output_path import SIGNATURES, output_file, unwritable
from mars_score.files.replacing import replacing
from mars_score.fingerprint import made_with

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write_signatures(
    path: str | Path | None, signatures: Mapping[str, str], extra: Mapping[str, object] | None = None
) -> Path | None:
    """Write ``<path>.signatures.json``, with the signature of each metric, and return its path.

    The versions of this package and of the libraries that can change numbers are recorded with them; they decide
    nothing.

    ``extra`` says what the results were made from, as ``{"input": "rows.jsonl", "rows": 420}``. Results that
    went to standard output, a pipe or a device have no place beside them: nothing is written.
    """
    sidecar = sidecar_of(path)
    if sidecar is None:
        return None
    content = {"signatures": dict(signatures), "made_with": made_with(), **(extra or {})}
    try:
        with replacing(sidecar) as temporary:
            text = json.dumps(content, indent=2, ensure_ascii=False)
            temporary.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise unwritable(sidecar, error) from error
    return sidecar


def read_signatures(path: str | Path | None) -> dict[str, Any] | None:
    """Return what was written beside results; None where that is nothing, or nothing that can be read."""
    sidecar = sidecar_of(path)
    if sidecar is None:
        return None
    try:
        content = json.loads(sidecar.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def sidecar_of(path: str | Path | None) -> Path | None:
    """Return the file of signatures beside an output, which need not be there; None where it has no place."""
    file = output_file(path)
    if file is None or (file.exists() and not file.is_file()):
        return None
    return file.with_name(f"{file.name}{SIGNATURES}")
