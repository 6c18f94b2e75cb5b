"""``results.json``: the whole study in one file."""

from __future__ import annotations

import json
from pathlib import Path

from mars_score.errors import InputError
from mars_score.files.output_path import unwritable
from mars_score.files.replacing import replacing
from mars_score.files.source import open_input
from mars_score.study.codec import from_json, to_json
from mars_score.study.results import SCHEMA, Study

RESULTS = "results.json"
"""The file's name in the folder of a study."""

_AGAIN = "run mars-score study again with this folder: what is in its scores.sqlite is not computed again"


def write_results(study: Study, path: str | Path) -> None:
    """Write a study; the file appears whole or not at all, and equal studies make equal files."""
    text = json.dumps(to_json(study, "study"), ensure_ascii=False, indent=1, allow_nan=False)
    path = Path(path)
    try:
        with replacing(path) as temporary:
            temporary.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from error


def read_results(path: str | Path) -> Study:
    """Read a study from its file, or from the folder that holds it."""
    path = Path(path)
    path = path / RESULTS if path.is_dir() else path
    with open_input(path) as stream:
        raw = stream.read()
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not whole JSON: {error}", path=path, remedy=_AGAIN) from error
    schema = value.get("schema") if isinstance(value, dict) else None
    if not isinstance(schema, int):
        raise InputError("these are no results of a study: there is no schema", path=path, remedy=_AGAIN)
    if schema != SCHEMA:
        newer = "upgrade mars-score" if schema > SCHEMA else _AGAIN
        raise InputError(
            f"results of schema {schema}, but this version reads schema {SCHEMA}", path=path, remedy=newer
        )
    try:
        return from_json(Study, value, "study")
    except InputError as error:
        raise InputError(f"damaged results: {error.problem}", path=path, remedy=_AGAIN) from error
