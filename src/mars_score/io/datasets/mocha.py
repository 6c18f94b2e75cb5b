"""MOCHA (Chen et al., 2020): answers to questions about passages, in one nested JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mars_score.errors import InputError
from mars_score.io.datasets.base import Rated, mean, number, number_list
from mars_score.io.fields import RawRow, RowLocation, field_names, to_example
from mars_score.io.json_rows import Window
from mars_score.io.source import open_input, pieces

_SHAPE = "{source: {id: {context, question, reference, candidate, score, metadata: {scores, source}}}}"
_REMEDY = f"MOCHA's files are one object {_SHAPE}; if the file has another format, name it: format=..."


@dataclass(frozen=True, slots=True)
class MochaAnswer:
    """One of the inner objects of ``{group: {id: {...}}}``."""

    line: int
    group: str
    key: str
    values: dict[str, object]


def read(path: str) -> list[Rated]:
    """Return one row an answer."""
    with open_input(path) as stream:
        given = list(answers(pieces(stream, path), path))
    if not given:
        raise InputError("the file has no rows", path=path, remedy=_REMEDY)
    if not any("score" in answer.values for answer in given):
        raise InputError(
            "no answer has a score",
            path=path,
            remedy="read train.json or dev.json: the test set is released without scores, and minimal_pairs.json"
            " has two answers in each entry",
        )
    return [_rated(answer, count, path) for count, answer in enumerate(given, 1)]


def answers(parts: Iterable[tuple[int, str]], path: str) -> Iterator[MochaAnswer]:
    """Yield the inner objects in their order; a key that is there twice is an error, not a lost row."""
    window = Window(parts, path, _REMEDY)
    for group in _keys(window):
        for key in _keys(window):
            if window.peek() != "{":
                window.fail(f"{group!r}: {key!r} must be an object")
            line, value = window.line, window.value()
            assert isinstance(value, dict)
            yield MochaAnswer(line, group, key, value)
    if window.peek():
        window.fail("there is text after the end of the object")


def _keys(window: Window) -> Iterator[str]:
    """Yield the keys of the object at the position; the caller reads each one's value in between."""
    _expect(window, "{", "an object")
    seen: set[str] = set()
    while window.peek() != "}":
        if seen:
            _expect(window, ",", "a comma or the end of the object")
        key = window.value() if window.peek() == '"' else None
        if not isinstance(key, str):
            window.fail("expected a name in double quotes")
        _expect(window, ":", "a colon")
        window.peek()
        if key in seen:
            window.fail(f"the name {key!r} is there twice")
        seen.add(key)
        yield key
    window.move(window.at + 1)


def _expect(window: Window, mark: str, name: str) -> None:
    """Move behind a mark that must come next."""
    if window.peek() != mark:
        window.fail(f"expected {name}")
    window.move(window.at + 1)


def _rated(answer: MochaAnswer, count: int, path: str) -> Rated:
    values, identity = answer.values, f"{answer.group}/{answer.key}"
    location = RowLocation(path, answer.line, identity)
    # The key, not a field of the entry, is what makes an answer unique, and only in its group.
    example = to_example(RawRow(answer.line, {**values, "id": identity}), count, field_names(), path)
    metadata = values.get("metadata") or {}
    if not isinstance(metadata, dict):
        location.fail("metadata must be an object", "write it as {scores: [...], source: ...}")
    ratings = number_list(metadata.get("scores"), "metadata.scores", location)
    human = number(values.get("score"), "score", location)
    if human is None and not ratings:
        location.fail("no score", "give a score, or leave the answer out")
    system = metadata.get("source")
    return Rated(
        example,
        mean(ratings) if human is None else human,
        system if isinstance(system, str) else "",
        ratings,
        {},
        f"question answering ({answer.group})",
        "mocha",
    )
