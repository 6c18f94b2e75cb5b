"""MOCHA (Chen et al., 2020): answers to questions about passages, in JSON.

``{source: {id: {context, question, reference, candidate, score, metadata: {scores, source}}}}``, where the
outer source is the data set that the question comes from, and the inner one the system that wrote the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.datasets.base import Rated
from mars_score.datasets.nested_json import entries
from mars_score.datasets.ratings import Place, mean, number, number_list
from mars_score.errors import InputError
from mars_score.files.field_names import field_names
from mars_score.files.fields import to_example
from mars_score.files.rows import RawRow
from mars_score.files.source import open_input
from mars_score.files.text_lines import pieces

if TYPE_CHECKING:
    from mars_score.datasets.nested_json import Entry

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
