"""MOCHA (Chen et al., 2020): answers to questions about passages, in one nested JSON object."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from mars_score.errors import InputError
from mars_score.io import json_rows
from mars_score.io.datasets.base import Rated
from mars_score.io.datasets.ratings import Place, mean, number, number_list
from mars_score.io.fields import RawRow, field_names, to_example
from mars_score.io.source import open_input, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    pass


# A JSON object of groups of objects, ``{group: {id: {...}}}``, with the line that each one starts on.

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Entry:
    """One of the inner objects."""

    line: int
    group: str
    key: str
    values: dict[str, object]


def entries(text: str, path: str, remedy: str) -> Iterator[Entry]:
    """Yield the inner objects in their order; a key that is there twice is an error, not a lost row."""
    reader = _Reader(text, path, remedy)
    groups: set[str] = set()
    for group in reader.names():
        reader.once(group, groups)
        keys: set[str] = set()
        for key in reader.names():
            reader.once(key, keys)
            line = reader.line()
            if reader.peek() != "{":
                reader.fail(f"{group!r}: {key!r} must be an object")
            value = reader.value()
            assert isinstance(value, dict)
            yield Entry(line, group, key, value)
    if reader.peek():
        reader.fail("there is text after the end of the object")


class _Reader:
    """A position in a JSON text."""

    def __init__(self, text: str, path: str, remedy: str) -> None:
        self.text, self.path, self.remedy = text, path, remedy
        self.at = 0
        self._counted, self._line = 0, 1

    def names(self) -> Iterator[str]:
        """Yield the keys of the object at the position; the caller reads each one's value in between."""
        self.expect("{", "an object")
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            key = self.value() if self.peek() == '"' else None
            if not isinstance(key, str):
                self.fail("expected a name in double quotes")
            self.expect(":", "a colon")
            yield key
            if self.peek() == "}":
                self.at += 1
                return
            self.expect(",", "a comma or the end of the object")

    def value(self) -> object:
        """Return the value at the position and move behind it."""
        self.peek()
        try:
            value, self.at = _DECODER.raw_decode(self.text, self.at)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError):
                self.at = error.pos
            raise json_rows.broken(error, self.path, self.line(), self.column(), self.remedy) from error
        return value

    def peek(self) -> str:
        """Move over white space and return the next character; an empty text is the end."""
        space = _SPACE.match(self.text, self.at)
        assert space is not None
        self.at = space.end()
        return self.text[self.at : self.at + 1]

    def expect(self, mark: str, name: str) -> None:
        """Move behind a mark that must come next."""
        if self.peek() != mark:
            self.fail(f"expected {name}")
        self.at += 1

    def once(self, key: str, seen: set[str]) -> None:
        """Refuse a key that was seen before."""
        if key in seen:
            self.fail(f"the name {key!r} is there twice")
        seen.add(key)

    def line(self) -> int:
        """Return the line of the position; lines are counted on from the last question."""
        self.peek()
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def column(self) -> int:
        """Return the column of the position."""
        return self.at - self.text.rfind("\n", 0, self.at)

    def fail(self, problem: str) -> NoReturn:
        """Refuse the file."""
        raise InputError(
            f"broken JSON: {problem}",
            path=self.path,
            line=self.line(),
            column=self.column(),
            remedy=self.remedy,
        )


# MOCHA (Chen et al., 2020): answers to questions about passages, in JSON.

_SHAPE = "{source: {id: {context, question, reference, candidate, score, metadata: {scores, source}}}}"
_REMEDY = f"MOCHA's files are one object {_SHAPE}; if the file has another format, name it: format=..."


def read(path: str) -> list[Rated]:
    """Return one row an answer."""
    with open_input(path) as stream:
        text = "".join(part for _, part in pieces(stream, path))
    found = list(entries(text, path, _REMEDY))
    if not found:
        raise InputError("the file has no rows", path=path, remedy=_REMEDY)
    if not any("score" in entry.values for entry in found):
        raise InputError(
            "no answer has a score",
            path=path,
            remedy="read train.json or dev.json: the test set is released without scores, and minimal_pairs.json"
            " has two answers in each entry",
        )
    return [_rated(entry, number, path) for number, entry in enumerate(found, 1)]


def _rated(entry: Entry, count: int, path: str) -> Rated:
    values, identity = entry.values, f"{entry.group}/{entry.key}"
    place = Place(path, entry.line, identity)
    # The key, not a field of the entry, is what makes an answer unique, and only in its group.
    example = to_example(RawRow(entry.line, {**values, "id": identity}), count, field_names(), path)
    metadata = values.get("metadata") or {}
    if not isinstance(metadata, dict):
        place.fail("metadata must be an object", "write it as {scores: [...], source: ...}")
    ratings = number_list(metadata.get("scores"), "metadata.scores", place)
    human = number(values.get("score"), "score", place)
    if human is None and not ratings:
        place.fail("no score", "give a score, or leave the answer out")
    system = metadata.get("source")
    return Rated(
        example,
        mean(ratings) if human is None else human,
        system if isinstance(system, str) else "",
        ratings,
        {},
        f"question answering ({entry.group})",
        "mocha",
    )
