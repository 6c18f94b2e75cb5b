"""Which format a file has, by its suffix and its first characters."""

from __future__ import annotations

import re

from mars_score.datasets import table
from mars_score.errors import InputError
from mars_score.files.formats import INPUTS, format_of
from mars_score.files.source import open_input

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
        names = set(table.header(path))
        if {"ArticleID", "SystemSummary"} <= names:
            return "newsroom"
        if {"Input.OUT0", "Input.TYPE0"} <= names:
            return "huse"
    return "rows"
