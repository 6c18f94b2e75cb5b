"""What other tools have saved: their records become rows, recognised by their content and mapped by the paths below."""

from __future__ import annotations

import ast
import json
import struct
import sys
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from mars_score.errors import InputError
from mars_score.io.fields import RawRow
from mars_score.io.output import PYARROW_INSTALL, load_pyarrow
from mars_score.io.source import open_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mars_score.io.fields import FieldNames

tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
Record = dict[str, Any]
ARCHIVE = "inspect"
"""The format of an Inspect log that is an archive: one JSON file a sample."""
_ZSTANDARD = 93
_COMPARED = ("equals", "similar", "rouge-n", "bleu", "gleu", "meteor", "factuality", "levenshtein")
"""Assertions of promptfoo whose value is a whole reference."""


@dataclass(frozen=True, slots=True)
class SavedFormat:
    """How one tool lays out its outputs."""

    name: str
    marks: frozenset[str]
    """Fields that a record has."""
    paths: Mapping[str, Sequence[str]]
    """For each field of a row, where it may be: the first place that has a text counts."""
    hint: str
    """What to do about a record without a generated text."""
    document: frozenset[str]
    """Fields of a file that holds all records in one object."""
    records: str
    """Where the records are in that object."""


@cache
def formats() -> tuple[SavedFormat, ...]:
    """Read what ``saved.toml`` says of each tool."""
    content = tomllib.loads(resources.files("mars_score.io").joinpath("saved.toml").read_text("utf-8"))
    given: list[str] = content["given"]

    def whole(paths: list[str]) -> list[str]:
        return [name for path in paths for name in (given if path == "given" else [path])]

    return tuple(
        SavedFormat(
            table["name"], frozenset(table["marks"]), {role: whole(paths) for role, paths in table["paths"].items()},
            table["hint"], frozenset(table.get("document", ())), table.get("records", ""),
        )
        for table in content["format"]
    )  # fmt: skip


# Reading files that no other reader knows.


def is_archive(path: str | Path) -> bool:
    """Tell whether a file is a zip archive, as Inspect writes its logs."""
    return Path(path).is_file() and zipfile.is_zipfile(path)


def archive_rows(stream: BinaryIO, path: str) -> Iterator[RawRow]:
    """Yield the samples of an Inspect log, in the order in which they ended."""
    again = "give a .eval log of Inspect; inspect log convert --to json writes one that is plain JSON"
    try:
        with zipfile.ZipFile(stream) as archive:
            members = {info.filename: info for info in archive.infolist()}
            samples = [info for name, info in members.items() if name.startswith("samples/")]
            if "header.json" not in members and "_journal/start.json" not in members:
                raise InputError("a zip archive, but no log of Inspect", path=path, remedy=again)
            for number, info in enumerate(samples, 1):
                yield RawRow(number, json.loads(_content(archive, info, stream, path)))
    except (zipfile.BadZipFile, ValueError, EOFError, RecursionError) as error:
        raise InputError(f"a damaged log of Inspect: {error}", path=path, remedy=again) from error


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, stream: BinaryIO, path: str) -> bytes:
    """Return a member's bytes; Zstandard, which Inspect uses now, is unknown to zipfile before Python 3.14."""
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    try:
        pyarrow, _ = load_pyarrow()
    except ImportError as error:
        problem = "this log is compressed with Zstandard, which needs the package pyarrow"
        raise InputError(problem, path=path, remedy=PYARROW_INSTALL) from error
    stream.seek(info.header_offset + 26)
    lengths = struct.unpack("<HH", stream.read(4))  # of the name and the extra field, which precede the data
    stream.seek(sum(lengths), 1)
    try:
        packed = pyarrow.BufferReader(stream.read(info.compress_size))
        return bytes(pyarrow.CompressedInputStream(packed, "zstd").read())
    except OSError as error:
        raise zipfile.BadZipFile(str(error)) from error


# From records to rows.


def adapt(
    rows: Iterator[RawRow], names: FieldNames, path: str, tell: Callable[[str], None] = lambda text: None
) -> Iterator[RawRow]:
    """Yield rows as they are; where the first one is another tool's, map all, and tell which field became what.

    Fields that the caller has named are looked for in the record, by paths such as ``doc.answers``.
    """
    first = next(rows, None)
    if first is None:
        return
    saved = recognise(first.values, names)
    if saved is None:
        yield from chain((first,), rows)
        return
    roles = [role for role in dict.fromkeys((*saved.paths, *names.mapped)) if role in names.names]
    is_first = True
    for line, record in _records(saved, chain((first,), rows), path):
        sources = {role: _source(saved, record, role, names) for role in roles}
        for role in ("candidate", "references"):
            if not sources.get(role) and not (role == "references" and sources.get("reference")):
                raise _missing(saved, record, role, names, path, line)
        if is_first:
            is_first = False
            mapped = (f"{role} = {source}" for role, source in sources.items() if source and role != "id")
            tell(f"{path}: {saved.name}: {', '.join(mapped)} (another place: --field FIELD=PATH)")
        values = {role: _value(record, source, role) for role, source in sources.items() if source}
        yield RawRow(line, {names.names[role]: value for role, value in values.items()})


def recognise(values: Mapping[str, object], names: FieldNames) -> SavedFormat | None:
    """Return the format of a record, or of a document of records; None for a row with a candidate of its own."""
    if names.has("candidate", values):
        return None
    for kind in formats():
        if kind.marks <= values.keys() or (kind.document and kind.document <= values.keys()):
            return kind
    return None


def _records(saved: SavedFormat, rows: Iterator[RawRow], path: str) -> Iterator[tuple[int, Record]]:
    """Yield records with their lines; in a document, with their numbers."""
    instances = _instances(path) if saved.name == "HELM predictions" else {}
    for row in rows:
        record = dict(row.values)
        if not (saved.document and saved.document <= record.keys()):
            if instances:
                record["instance"] = instances.get(record.get("instance_id"))
            yield row.line, record
            continue
        columns = _columns(record)
        inside = follow(record, saved.records)
        for number, entry in enumerate(inside if isinstance(inside, list) else [], 1):
            fields = entry if isinstance(entry, dict) else {}
            yield number, {**fields, "column": columns.get(fields.get("promptIdx"))}


def _columns(document: Record) -> dict[object, str]:
    """Name the columns of promptfoo's table, of which a test has a record each; empty where there is one column."""
    prompts = follow(document, "results.prompts")
    labels = [follow(prompt, "provider") for prompt in prompts] if isinstance(prompts, list) else []
    if len(labels) < 2:
        return {}
    return {i: f"{label} {i}" if labels.count(label) > 1 else str(label) for i, label in enumerate(labels)}


def _instances(path: str) -> dict[object, Record]:
    """Read the inputs and references of HELM, which are in a file beside its predictions."""
    beside = Path(path).with_name("instances.json")
    if not beside.is_file():
        problem = f"HELM's predictions have neither inputs nor references, and there is no {beside}"
        raise InputError(
            problem, path=path, remedy="keep instances.json beside it, or give scenario_state.json"
        )
    try:
        with open_input(beside) as stream:
            return {instance["id"]: instance for instance in json.load(stream)}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        remedy = "run helm-summarize again, or give scenario_state.json"
        raise InputError(f"no instances of HELM: {error!r}", path=beside, remedy=remedy) from error


def _source(saved: SavedFormat, record: Record, role: str, names: FieldNames) -> str | None:
    """Return the first path that has something for a field."""
    paths = (names.names[role],) if role in names.mapped else saved.paths.get(role, ())
    return next((path for path in paths if _value(record, path, role) not in (None, [], "")), None) or (
        # An empty answer is an answer.
        next((path for path in paths if role == "candidate" and _value(record, path, role) == ""), None)
    )


def _missing(
    saved: SavedFormat, record: Record, role: str, names: FieldNames, path: str, line: int
) -> InputError:
    sample = next((_value(record, id_path, "id") for id_path in saved.paths["id"]), None)
    named = next((name for name in (role, role.removesuffix("s")) if name in names.mapped), None)
    paths = [names.names[named]] if named else list(saved.paths[role])
    shown = ", ".join(paths[:6]) + ", ..." * (len(paths) > 6)
    problem = f"{saved.name}, sample {sample!r}: no text for {role} in {shown}"
    there = ", ".join(name for name in record if name != "column")
    remedy = (
        f"add it, or say where it is by a path such as doc.answers: --field {role}=PATH; there is {there}"
    )
    remedy = saved.hint if role == "candidate" and not named else remedy
    return InputError(problem, path=path, line=line, remedy=remedy)


def _value(record: Record, path: str, role: str) -> Any:
    """Return what a field becomes: a list of references, or a text; None where there is none."""
    value = _SPECIAL[path](record) if path in _SPECIAL else follow(record, path)
    if role == "id":
        return None if value is None else str(value)
    if role not in ("references", "reference"):
        return _text(value)
    if isinstance(value, str) and path == "target" and value.startswith("["):
        value = _literal(value)
    texts = [_text(entry) for entry in (value if isinstance(value, list) else [value])]
    return [text for text in texts if text]


def follow(record: object, path: str) -> Any:
    """Return the value at a path of names and numbers that are joined by dots; None where there is none."""
    if isinstance(record, dict) and path in record:
        return record[path]
    for name in path.split("."):
        if isinstance(record, dict):
            record = record.get(name)
        elif isinstance(record, list) and name.isdigit() and int(name) < len(record):
            record = record[int(name)]
        else:
            return None
    return record


def _text(value: object) -> str | None:
    """Return a text, the text parts of a message, or a dialogue, one turn a line, without its instructions."""
    if isinstance(value, str):
        return _text(_messages(value)) or value.strip()
    if not isinstance(value, list):
        return None
    turns = [
        turn for turn in value if isinstance(turn, dict) and turn.get("role") not in ("system", "developer")
    ]
    parts = (_text(turn.get("content")) if "role" in turn else turn.get("text") for turn in turns)
    return "\n".join(part for part in parts if part) or None


def _messages(text: str) -> list[Record] | None:
    """Read a dialogue that promptfoo has written as JSON; None for any other text."""
    if not text.lstrip().startswith("[") or '"role"' not in text:
        return None
    try:
        turns = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return turns if all(isinstance(turn, dict) and "role" in turn for turn in turns) else None


def _literal(text: str) -> object:
    """Read the list that lm-eval has written as Python shows it."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
    return value if isinstance(value, list) else text


def _dialogue(record: Record) -> list[Record]:
    messages = record.get("messages")
    return [turn for turn in messages if isinstance(turn, dict)] if isinstance(messages, list) else []


def _last_answer(record: Record) -> object:
    *_, last = [{}, *_dialogue(record)]
    return last.get("content") if last.get("role") == "assistant" else None


def _before_answer(record: Record) -> object:
    messages = _dialogue(record)
    return messages[:-1] if _last_answer(record) is not None and "choices" not in record else messages


def _gold(record: Record) -> object:
    choices, gold = follow(record, "doc.choices"), follow(record, "doc.gold_index")
    places = gold if isinstance(gold, list) else [gold]
    return [follow(choices, str(place)) for place in places]


def _asserted(record: Record) -> object:
    """What promptfoo compares outputs with; a value may be several references."""
    values: list[object] = []
    for assertion in follow(record, "testCase.assert") or ():
        if isinstance(assertion, dict) and assertion.get("type") in _COMPARED:
            value = assertion.get("value")
            values += value if isinstance(value, list) else [value]
    return values


def _correct(record: Record) -> object:
    references = follow(record, "instance.references") or ()
    return [
        follow(reference, "output.text")
        for reference in references
        if "correct" in (follow(reference, "tags") or ())
    ]


def _joined(*parts: object) -> str:
    return "/".join(str(part) for part in parts if part is not None)


_SPECIAL: dict[str, Callable[[Record], object]] = {
    "doc.choices[doc.gold_index]": _gold,
    "testCase.assert": _asserted,
    "instance.references tagged correct": _correct,
    "last answer in messages": _last_answer,
    "messages before the answer": _before_answer,
    "doc_id, filter": lambda of: _joined(of.get("doc_id"), of.get("filter") if of.get("filter") != "none" else None),
    "id, epoch": lambda of: _joined(of.get("id"), of.get("epoch") if of.get("epoch") != 1 else None),
    "testIdx, provider": lambda of: _joined(of.get("testIdx"), of.get("column")),
    "instance.id, trial": lambda of: _joined(
        follow(of, "instance.id"), follow(of, "instance.perturbation.name"), of.get("train_trial_index") or None
    ),
}  # fmt: skip
"""Places that take more than a path."""
