"""A file as the body of a request. No path is ever opened: the bytes are the body, and a name is only shown."""

from __future__ import annotations

from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.files import delimited, json_list
from mars_score.files.field_names import field_names
from mars_score.files.fields import to_example
from mars_score.files.text_lines import pieces
from mars_score.files.unique_ids import unique_at_once
from mars_score.http.errors import HttpError
from mars_score.pages.printable import one_line
from mars_score.serving.items import check_texts, too_many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mars_score.files.rows import RawRow
    from mars_score.serving.limits import Limits
    from mars_score.types import Example

TYPES = {
    "application/x-ndjson": "jsonl",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
}
ALIASES = {
    "application/jsonl": "jsonl",
    "application/x-jsonlines": "jsonl",
    "application/json-lines": "jsonl",
}
"""Nobody has settled what JSON lines are called."""
LONGEST_NAME = 100


def shown_name(name: str, kind: str) -> str:
    """Return the name of a file for messages."""
    return one_line(name)[:LONGEST_NAME] or f"upload.{kind}"


def kind_of(content_type: str) -> str:
    """Return the format of a body."""
    kind = (TYPES | ALIASES).get(content_type.partition(";")[0].strip().lower())
    if kind is None:
        raise HttpError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "the content type of the body is not one that this server reads",
            f"send application/json, or a file as {', '.join(TYPES)}",
        )
    return kind


def read_upload(body: bytes, kind: str, name: str, limits: Limits) -> list[Example]:
    """Read the rows of a file; a bad one is named by its line, as the command line does."""
    fields = field_names()

    def numbered() -> Iterator[tuple[int, Example]]:
        for number, row in enumerate(_rows(body, kind, name), 1):
            if number > limits.job_rows:
                raise too_many(number, limits.job_rows)
            example = to_example(row, number, fields, name)
            check_texts(example, f"{name}:{row.line}", limits)
            yield row.line, example

    examples = list(unique_at_once(numbered(), name))
    if not examples:
        raise InputError("the file has no rows", path=name, remedy="give at least one row to score")
    return examples


def _rows(body: bytes, kind: str, name: str) -> Iterator[RawRow]:
    parts = pieces(BytesIO(body), name)
    if kind == "jsonl":
        # Also reads one list of objects: not everybody tells .json from .jsonl.
        return json_list.rows(parts, name)
    return delimited.rows(parts, name, field_names(), delimited.DELIMITERS[kind])
