"""Reading rows to score: the reader is chosen by suffix and content, rows come one at a time, and ids are unique."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO

from mars_score.errors import InputError
from mars_score.io import json_rows, saved
from mars_score.io.fields import FieldNames, RawRow, field_names, to_example
from mars_score.io.output import INPUTS, PYARROW_INSTALL, PYARROW_NEEDED, format_of, load_pyarrow
from mars_score.io.source import (
    DELIMITERS,
    STDIN,
    check_readable,
    is_regular,
    lines,
    open_input,
    pieces,
    shown,
)
from mars_score.types import Example

_READ_BATCH = 256
Numbered = tuple[int, "Example"]
"""An example with the line that it starts on."""


def read_examples(
    path: str | Path, *, fields: Mapping[str, str] | None = None, format: str | None = None, checked: bool = False,
    needs_references: bool = True,
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[Example]:  # fmt: skip
    """Yield the rows of a file, or of standard input (``-``, JSON lines).

    ``fields`` maps a field to the name that the file has for it, as ``{"candidate": "prediction"}``.
    ``format`` (jsonl, json, csv, tsv, parquet) overrides the suffix. What lm-eval, Inspect, lighteval, promptfoo, HELM
    and chat APIs save is recognised by its content; ``tell`` is then told which field became what. A file
    that cannot be read at all is refused in this call; a bad row raises ``InputError`` when it is reached, and an id
    that a file has twice when all rows have been read. With ``checked``, equal ids are not looked for. Rows may
    have no reference where nobody ``needs_references``.
    """
    names = field_names(fields, needs_references=needs_references)
    kind, name = _kind(path, format), shown(path)

    def numbered() -> Iterator[Numbered]:
        number = 0
        for number, row in enumerate(saved.adapt(raw_rows(path, kind, names), names, name, tell), 1):
            yield row.line, to_example(row, number, names, name)
        if not number:
            raise InputError("the file has no rows", path=name, remedy="give at least one row to score")

    if checked:
        return (example for _, example in numbered())
    return unique(numbered(), numbered, name) if is_regular(path) else unique_at_once(numbered(), name)


def _kind(path: str | Path, format: str | None) -> str:
    """Return an input's format, and refuse an input that can be seen to be unreadable."""
    kind = "jsonl" if str(path) == STDIN and format is None else format_of(path, format, INPUTS)
    check_readable(path)
    if kind is None and saved.is_archive(path):
        return saved.ARCHIVE
    if kind is None:
        raise InputError(
            "cannot tell the format from the name",
            path=path,
            remedy=f"use one of {', '.join(INPUTS)}, or name the format; plain text, one item a line,"
            " is given as separate files of candidates and references",
        )
    if kind == "parquet":
        try:
            load_pyarrow()
        except ImportError as error:
            raise InputError(PYARROW_NEEDED, path=shown(path), remedy=PYARROW_INSTALL) from error
    return kind


def raw_rows(path: str | Path, kind: str, names: FieldNames) -> Iterator[RawRow]:
    """Yield the rows of a file of this format, as they stand there."""
    name = shown(path)
    with open_input(path) as stream:
        if kind == "parquet":
            yield from _parquet_rows(stream, name, names)
        elif kind == "jsonl":
            yield from json_rows.jsonl_rows(pieces(stream, name), name)
        elif kind == "json":
            yield from json_rows.json_rows(pieces(stream, name), name)
        elif kind == saved.ARCHIVE:
            yield from saved.archive_rows(stream, name)
        else:
            from mars_score.io import delimited

            yield from delimited.rows(pieces(stream, name), name, names, DELIMITERS[kind])


# Parquet, which needs pyarrow.


def _parquet_rows(stream: BinaryIO, path: str, names: FieldNames) -> Iterator[RawRow]:
    """Yield the rows of a table, a batch at a time; only the columns that are needed are read."""
    number = 0
    with _table(stream, path) as table:
        present = list(table.schema_arrow.names)
        # What another tool has saved is looked at as a whole.
        foreign = saved.recognise(dict.fromkeys(present), names)
        columns = present if foreign else _columns(present, names, path)
        for batch in table.iter_batches(batch_size=_READ_BATCH, columns=columns):
            for values in batch.to_pylist():
                number += 1
                yield RawRow(number, values)


@contextmanager
def _table(stream: BinaryIO, path: str) -> Iterator[Any]:
    """Open a table; whatever pyarrow finds wrong inside the block is an ``InputError``."""
    if not stream.seekable():
        raise InputError(
            "Parquet cannot be read from a pipe", path=path, remedy="give a file, or pipe JSON lines"
        )
    pyarrow, parquet = load_pyarrow()
    try:
        with parquet.ParquetFile(stream) as table:
            yield table
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"not a readable Parquet file: {reason}", path=path, remedy="write the file again, or use .jsonl"
        ) from error


def _columns(present: list[str], names: FieldNames, path: str) -> list[str]:
    """Return the columns to read, once each."""
    missing = names.missing(present)
    if missing is not None:
        raise InputError(f"no column {names.describe(missing)}", path=path, remedy=names.remedy(present))
    wanted = {*names.names.values(), *names.numbered(present)}
    columns = [name for name in present if name in wanted]
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"there are several columns {twice!r}", path=path, remedy="rename all but one")
    return columns


# Ids that come twice, found with eight bytes of memory for each row.


def unique(
    examples: Iterable[Numbered], again: Callable[[], Iterable[Numbered]], path: str
) -> Iterator[Example]:
    """Yield examples; at their end, an id that came twice is an error that names both of its lines.

    Only hashes are kept. Where two are equal, the rows are read `again` to see whether the ids are, too.
    """  # fmt: skip
    hashes = array("Q")
    for _, example in examples:
        hashes.append(_hash(example.id))
        yield example
    if suspects := _repeated(hashes):
        lines: dict[str, int] = {}
        for line, example in again():
            if _hash(example.id) not in suspects:
                continue
            if example.id in lines:
                raise repeated_id(example.id, lines[example.id], line, path)
            lines[example.id] = line


def unique_at_once(examples: Iterable[Numbered], path: str) -> Iterator[Example]:
    """Yield examples that cannot be read again: every id is kept, and one that comes twice ends it there."""
    lines: dict[bytes, int] = {}
    for line, example in examples:
        # Hashes, so that long ids cost no more memory than short ones.
        key = hashlib.blake2b(example.id.encode(), digest_size=12).digest()
        if key in lines:
            raise repeated_id(example.id, lines[key], line, path)
        lines[key] = line
        yield example


def _hash(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def _repeated(hashes: array[int]) -> set[int]:
    """The hashes that are there more than once; puts all of them in order."""
    import numpy as np

    ordered = np.frombuffer(hashes, dtype=np.uint64)
    ordered.sort()
    return set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())


def repeated_id(name: str, first: int, second: int, path: str) -> InputError:
    """Return the error for an id that is on two lines."""
    return InputError(
        f"the id {name!r} is on line {first} and again on line {second}",
        path=path,
        line=second,
        remedy="make ids unique, or give none: a row without an id takes its number",
    )


# Plain text files side by side: line n of each file belongs to item n.


def read_parallel(
    *,
    candidates: str | Path,
    references: str | Path | Sequence[str | Path],
    contexts: str | Path | None = None,
) -> Iterator[Example]:
    """Yield one item for each line of the files.

    Several files of references give an item several references; a blank line in the second or a later
    one means that this item has fewer. Files that cannot be read, and files of different lengths as far as
    that can be known (a pipe is not read twice), are refused in this call.
    """
    if isinstance(references, (str, Path)):
        references = [references]
    if not references:
        raise InputError("no file of references", remedy="give one or more files, one reference a line")
    paths = [candidates, *references, *([] if contexts is None else [contexts])]
    counts = []
    for path in paths:
        check_readable(path)
        if is_regular(path):
            with open_input(path) as stream:
                counts.append((path, sum(1 for _ in stream)))
    _check_lengths(counts)
    return _parallel_examples(paths, len(references))


def _parallel_examples(paths: Sequence[str | Path], width: int) -> Iterator[Example]:
    with ExitStack() as stack:
        texts = [lines(pieces(stack.enter_context(open_input(path)), shown(path))) for path in paths]
        number = 0
        for number, row in enumerate(zip_longest(*texts), 1):
            if None in row:
                read = [
                    number - (line is None) + sum(1 for _ in text)
                    for line, text in zip(row, texts, strict=True)
                ]
                _check_lengths(list(zip(paths, read, strict=True)))
            items = [line[1] for line in row]
            first, *more = items[1 : 1 + width]
            if not first.strip():
                problem = f"item '{number}': the reference is blank"
                remedy = "give a reference; only a second or later file of references may have blank lines"
                raise InputError(problem, path=shown(paths[1]), line=number, remedy=remedy)
            context = items[1 + width] if len(items) > 1 + width else ""
            yield Example(str(number), items[0], (first, *(text for text in more if text.strip())), context)
    if not number:
        raise InputError(
            "the file has no rows", path=shown(paths[0]), remedy="give at least one line to score"
        )


def _check_lengths(counts: Sequence[tuple[str | Path, int]]) -> None:
    for path, count in counts[1:]:
        first, expected = counts[0]
        if count != expected:
            problem = f"{shown(first)} has {expected} lines, but {shown(path)} has {count}"
            remedy = "line n of each file must belong to item n; an empty text is a blank line"
            raise InputError(problem, path=shown(path), line=min(count, expected) + 1, remedy=remedy)
