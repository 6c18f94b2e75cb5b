"""The rows of a request or an uploaded file as examples, checked as strictly as those of a file.

No path is ever opened: the bytes of a file are the body of a request, and its name is only shown.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io import delimited, json_rows
from mars_score.io.fields import field_names, to_example
from mars_score.io.html import one_line
from mars_score.io.readers import unique_at_once
from mars_score.io.source import DELIMITERS, pieces
from mars_score.metrics.registry import METRICS
from mars_score.types import Example
from mars_score.web.api.queue import RequestSettings
from mars_score.web.api.schemas import Item, Texts
from mars_score.web.errors import HttpError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mars_score.io.fields import RawRow
    from mars_score.web.api.queue import ServerLimits


OPTIONS = re.compile(r"(R)ename it, or map it: --field .*?\}\)|say which one it is: --field \w+=NAME")
"""What the command line and Python are told to do about the names of fields."""
WITHOUT_REFERENCES = re.compile(r"(?:, or score without references:|;) --metric mars_context(?: reads none)?")
"""And about rows without references, which a page cannot score."""
HALF = re.compile("[\ud800-\udfff]")


def examples_of(items: Sequence[Texts], limits: ServerLimits, most: int) -> list[Example]:
    """Turn rows into examples; every complaint names the row."""
    if len(items) > most:
        raise too_many(len(items), most)
    examples = [_example(item, number) for number, item in enumerate(items, 1)]
    seen: dict[str, int] = {}
    for number, example in enumerate(examples):
        if example.id in seen:
            raise _wrong(
                f"items.{number}.id: {example.id!r} is the id of items.{seen[example.id]}, too",
                "make ids unique, or give none",
            )
        seen[example.id] = number
        check_texts(example, f"items.{number}", limits)
    return examples


def check_texts(example: Example, place: str, limits: ServerLimits) -> None:
    """Refuse texts that are too long, and references that say nothing."""
    if len(example.references) > limits.references:
        raise _wrong(
            f"{place}.references: {len(example.references)} texts are more than {limits.references}",
            "leave some out",
        )
    named = [("id", example.id), ("candidate", example.candidate), ("context", example.context)]
    for name, text in [*named, *(("references", one) for one in example.references)]:
        if HALF.search(text):
            raise _wrong(
                f"{place}.{name}: there is half a character (a lone surrogate) in it, which is no text",
                "remove it: it was cut in two, as an emoji may be",
            )
        if len(text) > limits.text:
            raise _wrong(
                f"{place}.{name}: {len(text):,} characters are more than {limits.text:,}", "shorten the text"
            )
        if name == "references" and not text.strip():
            raise _wrong(f"{place}.{name}: a reference is blank", "give a text, or leave it out")


def settings_of(
    presets: Collection[str], preset: str | None, metrics: Sequence[str] = ("mars",), *,
    explain: bool = False, watch: bool = False,
) -> RequestSettings:  # fmt: skip
    """Check the names that a client gives, and say which one was meant."""
    chosen = next(iter(presets)) if preset is None else preset
    _check_name("preset", chosen, presets)
    for name in metrics:
        _check_name("metric", name, METRICS)
    if (explain or watch) and "mars" not in metrics:
        raise _wrong("explain: only the metric mars can be explained", "add mars to metrics")
    return RequestSettings(chosen, tuple(dict.fromkeys(metrics)), explain=explain, watch=watch)


def _check_name(what: str, name: str, offered: Collection[str]) -> None:
    if name not in offered:
        raise ConfigError(
            f"unknown {what} {name!r}; there are {', '.join(offered)}.{did_you_mean(name, offered)}"
        )


def too_many(rows: int, most: int) -> HttpError:
    """The error for a request with too many rows."""
    return _wrong(
        f"{rows:,} rows are more than {most:,}",
        "send them in several requests, or as a job (POST /v1/jobs), which may have more",
    )


def _example(item: Texts, number: int) -> Example:
    name = str(item.id) if item.id is not None and str(item.id).strip() else str(number)
    # As in a file: a system that is asked a question is given both.
    context = "\n".join(part for part in (item.context, item.question) if part)
    candidate = item.candidate if isinstance(item, Item) else ""
    return Example(name, candidate, tuple(item.references), context, item.question)


def _wrong(message: str, remedy: str) -> HttpError:
    return HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, message, remedy)


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


def read_upload(body: bytes, kind: str, name: str, limits: ServerLimits) -> list[Example]:
    """Read the rows of a file; a bad one is named by its line, as the command line does."""
    fields = field_names()

    def numbered() -> Iterator[tuple[int, Example]]:
        for number, row in enumerate(_rows(body, kind, name), 1):
            if number > limits.job_rows:
                raise _wrong(f"{number:,} rows are more than {limits.job_rows:,}", "split the file")
            example = to_example(row, number, fields, name)
            check_texts(example, f"{name}:{row.line}", limits)
            yield row.line, example

    try:
        examples = list(unique_at_once(numbered(), name))
    except InputError as error:
        # Whoever uploads a file has no command line.
        renamed = OPTIONS.sub(lambda found: f"{found[1] or 'r'}ename it in the file", error.remedy or "")
        remedy = WITHOUT_REFERENCES.sub("", renamed)
        place = {"path": name, "line": error.line, "column": error.column}
        raise InputError(error.problem, **place, remedy=remedy) from error  # type: ignore[arg-type]
    if not examples:
        raise InputError("the file has no rows", path=name, remedy="give at least one row to score")
    return examples


def _rows(body: bytes, kind: str, name: str) -> Iterator[RawRow]:
    parts = pieces(BytesIO(body), name)
    if kind == "jsonl":
        # Also reads one list of objects: not everybody tells .json from .jsonl.
        return json_rows.json_rows(parts, name)
    return delimited.rows(parts, name, field_names(), DELIMITERS[kind])
