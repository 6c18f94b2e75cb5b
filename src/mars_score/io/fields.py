"""The fields of a row: their names in a file, and from a raw mapping to an `Example`."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NoReturn

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.types import Example


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row of an input file, before its fields are looked at."""

    line: int
    """The line that the row starts on; in Parquet, which has no lines, the row's number."""
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Kept:
    """What stays of an output that a run continues."""

    rows: int = 0
    size: int = 0
    """In bytes, up to the end of the last row."""


# Under which names a file keeps its fields, and what was probably meant where one is missing.

FIELDS = ("candidate", "references", "reference", "context", "question", "id")
ALIASES = {
    "candidate": (
        "prediction", "predictions", "predicted", "pred", "hypothesis", "hypotheses", "hyp", "hypo", "cand",
        "output", "system_output", "model_output", "generated", "generated_text", "generation", "response",
        "completion", "decoded",
    ),
    "references": (
        "refs", "ref", "target", "targets", "tgt", "gold", "golds", "label", "labels", "ground_truth",
        "reference_text", "reference_summary", "expected", "expected_output", "highlights",
    ),
    "context": (
        "source", "src", "article", "document", "doc", "passage", "prompt", "input", "premise",
    ),
}  # fmt: skip
"""What other tools call these fields. Never used silently: an error names the way to map them."""

_REFERENCES = ("references", "reference")
_NUMBERED = re.compile(r"reference_([0-9]{1,6})")
_COMPARED, _SHOWN = 1_000, 100
"""Names that a misspelling is looked for among, and characters of a name in a message: a row may have a million."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The name of each field in a file. A field without a name here is not looked for."""

    names: Mapping[str, str]
    mapped: frozenset[str]
    """The fields that the caller named; a row without one of them is an error, never a silent blank."""

    def numbered(self, present: Collection[str]) -> list[str]:
        """Return the names ``reference_1``, ``reference_2``, ... among those present, by number."""
        if self.mapped.intersection(_REFERENCES):
            return []
        matches = [match for name in present if (match := _NUMBERED.fullmatch(name))]
        return [match[0] for match in sorted(matches, key=lambda match: int(match[1]))]

    def has(self, field: str, present: Collection[str]) -> bool:
        """Tell whether a field is among the names of a row."""
        if field != "references":
            return self.names[field] in present
        return any(self.names.get(f) in present for f in _REFERENCES) or bool(self.numbered(present))

    def missing(self, present: Collection[str]) -> str | None:
        """Return the first field that a row needs and has not, if any."""
        needed = ["candidate", "references", *sorted(self.mapped.difference(_REFERENCES))]
        return next((field for field in needed if not self.has(field, present)), None)

    def describe(self, field: str) -> str:
        """Return a field's name in the file, quoted, with its role where the caller named it."""
        roles = [role for role in (_REFERENCES if field == "references" else (field,)) if role in self.names]
        return " or ".join(
            f"{self.names[role]!r} (mapped as {role})" if role in self.mapped else repr(role)
            for role in roles
        )

    def remedy(self, present: Collection[str]) -> str:
        """Say which of the present names were probably meant for the missing fields, and how to map them."""
        free = [name for name in present if name not in self.names.values() and len(name) <= _SHOWN]
        del free[_COMPARED:]
        guesses: dict[str, str] = {}
        for field in ("candidate", "references", "context"):
            # Often all three have foreign names; to name them at once saves an attempt for each.
            near = None if self.has(field, present) else self._nearest(field, free)
            if near is not None:
                free.remove(near)
                guesses[field] = near
        if not guesses:
            listed = ", ".join(repr(name[:_SHOWN]) for name in islice(present, 20)) or "no names at all"
            return f"there is {listed}; say which one it is: --field {self.missing(present)}=NAME"
        meant = ", ".join(f"{name!r} as {field!r}" for field, name in guesses.items())
        options = " ".join(f"--field {field}={name}" for field, name in guesses.items())
        return f"Did you mean {meant}? Rename it, or map it: {options} (in Python: fields={guesses!r})"

    def _nearest(self, field: str, names: Collection[str]) -> str | None:
        """Return the name that is spelled nearly as the field's or is a known alias of it."""
        folded = {name.casefold(): name for name in names}
        wanted = self.names.get(field, field).casefold()
        spelled = difflib.get_close_matches(wanted, folded, n=1, cutoff=0.6)
        aliases = [alias for alias in ALIASES[field] if alias in folded]
        # A mapped name is the caller's own, so its misspelling is likelier than an alias.
        best = spelled + aliases if field in self.mapped else aliases + spelled
        return folded[best[0]] if best else None


def field_names(overrides: Mapping[str, str] | None = None) -> FieldNames:
    """Return the names of a file's fields; overrides map a field to the name that the file has for it."""
    overrides = overrides or {}
    for field in overrides:
        if field not in FIELDS:
            raise ConfigError(
                f"unknown field {field!r}; there are {', '.join(FIELDS)}.{did_you_mean(field, FIELDS)}"
            )
    names = {field: field for field in FIELDS} | dict(overrides)
    if overrides.keys() & set(_REFERENCES):
        # Where the caller says what the references are, a column that happens to be called so is not one.
        for field in set(_REFERENCES) - overrides.keys():
            del names[field]
    return FieldNames(names, frozenset(overrides))


# The fields of a row: a raw mapping becomes an ``Example``, or an error that names the item.


@dataclass(frozen=True, slots=True)
class RowLocation:
    """Where a row is, for its errors."""

    path: str
    line: int
    item: str

    def fail(self, problem: str, remedy: str) -> NoReturn:
        """Refuse the row."""
        raise InputError(f"item {self.item!r}: {problem}", path=self.path, line=self.line, remedy=remedy)


def to_example(row: RawRow, number: int, names: FieldNames, path: str) -> Example:
    """Read the fields of the row of this number (from 1); fields that are not asked for are ignored."""
    values, location = row.values, RowLocation(path, row.line, str(number))
    if (missing := names.missing(values)) is not None:
        raise InputError(
            f"no field {names.describe(missing)}", path=path, line=row.line, remedy=names.remedy(values)
        )
    identity = _identity(values.get(names.names["id"]), number, location)
    location = RowLocation(path, row.line, identity)
    candidate = _text(values[names.names["candidate"]], names.names["candidate"], location)
    if candidate is None:
        location.fail(
            f"{names.names['candidate']} is null or NaN",
            'leave the row out, or write "" if the system really wrote nothing',
        )
    references = _references(row, names, location)
    given = [names.names["context"], names.names["question"]]
    context, question = [_text(values.get(name), name, location) or "" for name in given]
    # A QA system is given context and question, so both are the context.
    whole = "\n".join(part for part in (context, question) if part)
    return Example(identity, candidate, references, whole, question)


def _identity(value: object, number: int, location: RowLocation) -> str:
    """Return the row's id: its own, or its number where it has none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = _text(value, "id", location)
    return text if text and text.strip() else str(number)


def _references(row: RawRow, names: FieldNames, location: RowLocation) -> tuple[str, ...]:
    """Return ``references``, else ``reference``, and then the numbered ones."""
    texts: list[str] = []
    for field in _REFERENCES:
        name = names.names.get(field)
        if name is not None and not _is_null(value := row.values.get(name)):
            texts += _reference_list(value, name, location)
            break
    for name in names.numbered(row.values):
        text = _text(row.values[name], name, location)
        if text and text.strip():
            texts.append(text)
    if not texts:
        location.fail(
            "no reference: all are null or blank", "give at least one reference, or leave the row out"
        )
    return tuple(texts)


def _reference_list(value: object, name: str, location: RowLocation) -> list[str]:
    """Check one reference or a list of them."""
    if not isinstance(value, list):
        return [_reference(value, name, location, "give a reference, or leave the row out")]
    if not value:
        location.fail(f"{name} is an empty list", "give at least one reference, or leave the row out")
    return [
        _reference(text, f"{name}[{index} of {len(value)}]", location, "leave it out of the list")
        for index, text in enumerate(value, 1)
    ]


def _reference(value: object, label: str, location: RowLocation, remedy: str) -> str:
    text = _text(value, label, location)
    if text is None or not text.strip():
        location.fail(f"{label} is {'null or NaN' if text is None else 'blank'}", remedy)
    return text


def _text(value: object, name: str, location: RowLocation) -> str | None:
    """Return a text, or ``None`` for null."""
    if _is_null(value):
        return None
    if not isinstance(value, str):
        other = f"a value of type {type(value).__name__}", "write it as text"
        kind, remedy = _KINDS.get(type(value), other)
        location.fail(f"{name} must be text, not {kind}", remedy)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        code = f"\\u{ord(value[error.start]):04x}"
        location.fail(
            f"{name} has a lone surrogate ({code}) at character {error.start + 1}, which is no text",
            "remove it: it is half of a character that was cut in two, such as an emoji",
        )
    return value


def _is_null(value: object) -> bool:
    """Tell whether a value stands for nothing; data frames write NaN for that."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


_QUOTE = "write it as text, in quotes"
_KINDS = {
    bool: ("true or false", _QUOTE),
    int: ("a number", _QUOTE),
    float: ("a number", _QUOTE),
    list: (
        "a list",
        "join its parts into one text (turns of a dialogue: one a line), or write a row for each",
    ),
    dict: ("an object", "give the part of it that holds the text"),
    bytes: ("bytes", "store the column as UTF-8 text"),
}
