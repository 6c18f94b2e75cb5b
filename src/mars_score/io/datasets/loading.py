"""Loading a data set of any format, which is told by its suffix and its first characters."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io.datasets import huse, mocha, newsroom, ratings, rows
from mars_score.io.datasets.base import Dataset
from mars_score.io.fields import FIELDS
from mars_score.io.output import INPUTS, format_of
from mars_score.io.source import STDIN, check_readable, open_input

if TYPE_CHECKING:
    from collections.abc import Mapping


# Which format a file has, by its suffix and its first characters.

_STRING = rb'"(?:[^"\\]|\\.)*"'
_NESTED = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{\s*" + _STRING + rb"\s*:\s*\{\s*(?:\}|" + _STRING + rb"\s*:\s*\{)"
)
"""An object of objects of objects. A row starts with a field, and at most its aspects are an object."""
_HEAD = 4096


def row_kind(path: str) -> str:
    """Return the format of a file of rows: jsonl, json, csv or tsv."""
    kind = format_of(path, None, INPUTS)
    if kind is None or kind == "parquet":
        raise InputError(
            "cannot tell the format from the name"
            if kind is None
            else "a data set cannot be read from Parquet",
            path=path,
            remedy="save the rows as .jsonl, .json, .csv or .tsv",
        )
    return kind


def detect(path: str) -> str:
    """Return the name of a file's format: rows, newsroom, mocha or huse."""
    kind = format_of(path, None, INPUTS)
    if kind == "json":
        with open_input(path) as stream:
            return "mocha" if _NESTED.match(stream.read(_HEAD)) else "rows"
    if kind == "csv":
        names = set(ratings.header(path))
        if {"ArticleID", "SystemSummary"} <= names:
            return "newsroom"
        if {"Input.OUT0", "Input.TYPE0"} <= names:
            return "huse"
    return "rows"


# Loading a data set of any format.

FORMATS = {
    "rows": "the project's own: JSON lines, a JSON list, csv or tsv, one rated row an item",
    "newsroom": "Newsroom's human evaluation, csv",
    "mocha": "MOCHA, JSON",
    "huse": "HUSE's ratings (ROC stories), csv",
    "roc": "the same as huse, by the paper's name",
}


def load_dataset(
    path: str | Path,
    format: str | None = None,
    *,
    fields: Mapping[str, str] | None = None,
    references: str | Path | None = None,
) -> Dataset:
    """Load a file of rated rows; its name without the suffix is the data set's name.

    ``format`` is one of ``FORMATS``, and is found from the file where it is not given. ``fields`` maps a field
    to the name that a file of rows has for it, as ``{"human": "score"}``. ``references`` is the Newsroom
    release, for the reference summaries that Newsroom's human evaluation lacks.
    """
    if str(path) == STDIN:
        raise InputError("a data set cannot be read from standard input", remedy="give the path of a file")
    check_readable(path)
    kind = _kind(str(path), format)
    _check_options(kind, fields or {}, references)
    left_out = 0
    if kind == "rows":
        found, left_out = rows.read(str(path), row_kind(str(path)), fields or {})
    elif kind == "newsroom":
        found = newsroom.read(str(path), references)
    elif kind == "mocha":
        found = mocha.read(str(path))
    else:
        found, left_out = huse.read(str(path))
    return Dataset(Path(path).stem, tuple(found), left_out)


def _kind(path: str, format: str | None) -> str:
    if format is None:
        return detect(path)
    if format not in FORMATS:
        raise ConfigError(
            f"unknown format {format!r}; there are {', '.join(FORMATS)}.{did_you_mean(format, FORMATS)}"
        )
    return "huse" if format == "roc" else format


def _check_options(kind: str, fields: Mapping[str, str], references: str | Path | None) -> None:
    """Refuse an option that would do nothing."""
    if references is not None and kind != "newsroom":
        raise ConfigError(f"references are for the format newsroom, but this file is read as {kind}")
    if fields and kind != "rows":
        raise ConfigError(f"fields can be mapped in the format rows, but this file is read as {kind}")
    known = (*FIELDS, *rows.RATING_FIELDS)
    for field in fields:
        if field not in known:
            raise ConfigError(
                f"unknown field {field!r}; there are {', '.join(known)}.{did_you_mean(field, known)}"
            )
