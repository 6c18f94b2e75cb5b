"""JSON lines, and JSON files that hold a list of objects, read one object at a time."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

from mars_score.errors import InputError
from mars_score.io.fields import RawRow
from mars_score.io.source import PIECE, lines

SAMPLE = '{"candidate": "...", "references": ["..."], "context": "..."}'
_LINES_REMEDY = (
    f"each line must be one whole JSON object like {SAMPLE}; one list of such objects is a .json file"
)
_LIST_REMEDY = f"a .json file must be a list of objects like [{SAMPLE}, ...], or one such object a line"
_WHITE = " \t\n\r"
_SPACE = re.compile(f"[{_WHITE}]*")
_DECODER = json.JSONDecoder()
_LONGEST_TOKEN = 16
"""An error this near to the end of the text in hand may be a token that was cut: ``tru``, ``\\u00``."""


def jsonl_rows(parts: Iterable[tuple[int, str]], path: str) -> Iterator[RawRow]:
    """Yield the object of each line; blank lines are skipped."""
    for line, text in lines(parts):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            column = error.colno if isinstance(error, json.JSONDecodeError) else 1
            raise _broken(error, path, line, column, _LINES_REMEDY) from error
        if not isinstance(value, dict):
            raise _not_an_object(value, path, line, 1, _LINES_REMEDY)
        yield RawRow(line, value)


def json_rows(parts: Iterable[tuple[int, str]], path: str) -> Iterator[RawRow]:
    """Yield the objects of a list, or of JSON lines if the file does not start with a bracket.

    An object that goes on after its first line is the whole file, as other tools write it.
    """
    parts, start = iter(parts), []
    for part in parts:
        start.append(part)
        if part[1].strip(_WHITE):
            break
    whole = itertools.chain(start, parts)
    if start and start[-1][1].lstrip(_WHITE).startswith("["):
        return _elements(Window(whole, path, _LIST_REMEDY))
    if start and start[-1][1].strip() == "{":
        return _document(Window(whole, path, _LIST_REMEDY))
    return jsonl_rows(whole, path)


class Window:
    """The part of a JSON file that is in memory, and the position in it, with its line and column."""

    def __init__(self, parts: Iterable[tuple[int, str]], path: str, remedy: str) -> None:
        self.parts, self.path, self.remedy = iter(parts), path, remedy
        self.text, self.line, self.column = "", 1, 1
        self.at = 0

    def peek(self) -> str:
        """Move to the next character that is not white space and return it; an empty text is the end."""
        while True:
            space = _SPACE.match(self.text, self.at)
            self.move(space.end() if space else self.at)
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.grow():
                return ""

    def move(self, to: int) -> None:
        """Move forward, counting lines."""
        self.line, self.column = self.location(to)
        self.at = to

    def location(self, at: int) -> tuple[int, int]:
        """Return the line and the column of a later position."""
        breaks = self.text.count("\n", self.at, at)
        if not breaks:
            return self.line, self.column + at - self.at
        return self.line + breaks, at - self.text.rindex("\n", self.at, at)

    def grow(self) -> bool:
        """Drop what lies behind and read on; false at the end of the file."""
        held, size = [self.text[self.at :]], 0
        # Twice as much each time, so that a long value is not parsed from its start too often.
        wanted = max(PIECE, len(held[0]))
        while size < wanted and (part := next(self.parts, None)):
            held.append(part[1])
            size += len(part[1])
        self.text, self.at = "".join(held), 0
        return size > 0

    def value(self) -> object:
        """Parse the value at this position and move behind it."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                line, column = self.location(error.pos)
                open_text = error.msg.startswith("Unterminated string")
                if (open_text or error.pos >= len(self.text) - _LONGEST_TOKEN) and self.grow():
                    continue
                raise _broken(error, self.path, line, column, self.remedy) from error
            except (ValueError, RecursionError) as error:
                raise _broken(error, self.path, self.line, self.column, self.remedy) from error
            self.move(end)
            return value

    def fail(self, problem: str) -> NoReturn:
        """Refuse the file at this position."""
        problem = f"broken JSON: {problem}"
        raise InputError(problem, path=self.path, line=self.line, column=self.column, remedy=self.remedy)


def _document(window: Window) -> Iterator[RawRow]:
    window.peek()
    line, value = window.line, window.value()
    if isinstance(value, dict):
        yield RawRow(line, value)
    if window.peek():
        window.fail("there is text after the end of the object")


def _elements(window: Window) -> Iterator[RawRow]:
    window.peek()
    window.move(window.at + 1)
    mark = "]" if window.peek() == "]" else ","
    while mark == ",":
        window.peek()
        line, column = window.line, window.column
        value = window.value()
        if not isinstance(value, dict):
            raise _not_an_object(value, window.path, line, column, _LIST_REMEDY)
        yield RawRow(line, value)
        mark = window.peek()
        if mark not in (",", "]"):
            window.fail("expected a comma or the end of the list" if mark else "the list is not closed")
        if mark == ",":
            window.move(window.at + 1)
    window.move(window.at + 1)
    if window.peek():
        window.fail("there is text after the end of the list")


def _broken(error: ValueError | RecursionError, path: str, line: int, column: int, remedy: str) -> InputError:
    if isinstance(error, json.JSONDecodeError):
        return InputError(f"broken JSON: {error.msg}", path=path, line=line, column=column, remedy=remedy)
    # The parser has two limits of its own: how deep values nest, and how many digits a whole number has.
    limit = "values nest too deep" if isinstance(error, RecursionError) else "a number has too many digits"
    return InputError(f"JSON out of bounds: {limit}", path=path, line=line, column=column, remedy=remedy)


def _not_an_object(value: object, path: str, line: int, column: int, remedy: str) -> InputError:
    kinds = {list: "a list", str: "a text", type(None): "null", bool: "true or false"}
    problem = f"a row must be an object, not {kinds.get(type(value), 'a number')}"
    return InputError(problem, path=path, line=line, column=column, remedy=remedy)
