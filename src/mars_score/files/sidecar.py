"""The signatures beside the results: a number never travels without its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mars_score.files.output_path import output_file, unwritable
from mars_score.files.replacing import replacing
from mars_score.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write_signatures(
    path: str | Path | None, signatures: Mapping[str, str], extra: Mapping[str, object] | None = None
) -> Path | None:
    """Write ``<path>.signatures.json``, with the signature of each metric, and return its path.

    ``extra`` says what the results were made from, as ``{"input": "rows.jsonl", "rows": 420}``. Results that
    went to standard output, a pipe or a device have no place beside them: nothing is written.
    """
    file = output_file(path)
    if file is None or (file.exists() and not file.is_file()):
        return None
    sidecar = file.with_name(f"{file.name}.signatures.json")
    content = {"signatures": dict(signatures), "version": __version__, **(extra or {})}
    try:
        with replacing(sidecar) as temporary:
            text = json.dumps(content, indent=2, ensure_ascii=False)
            temporary.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise unwritable(sidecar, error) from error
    return sidecar
