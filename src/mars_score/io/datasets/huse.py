"""HUSE's ratings (Hashimoto et al., 2019), of ROC stories among others: an export of Mechanical Turk.

A line of the csv file is what one worker said of several texts. Text ``i`` has the columns ``Input.CTX<i>``,
``Input.OUT<i>``, ``Input.TYPE<i>`` and ``Answer.<i>``. A type names the system that wrote the text; types
that start with HUMAN are the human endings. These are rated too: they are left out as candidates, and are
the references of all texts with the same context.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import dataclass, field

from mars_score.errors import InputError
from mars_score.io.datasets.base import Rated, csv_header, csv_rows, mean
from mars_score.io.fields import RawRow, RowLocation, field_names, to_example

SCALE = {"invalid": 1, "rare": 2, "specific": 3, "average": 4, "typical": 5, "very typical": 6}
"""How typical a text is; numbers from 1 to 6 are understood as well."""

_OUTPUT = re.compile(r"Input\.OUT([0-9]+)")
_WHAT = "a file of HUSE's ratings"


@dataclass(frozen=True, slots=True)
class _Text:
    """A text, and what workers said of it."""

    line: int
    context: str
    output: str
    ratings: list[float] = field(default_factory=list)


def is_human(kind: str) -> bool:
    """Tell whether a type is that of human-written texts."""
    return kind.upper().startswith("HUMAN")


def read(path: str) -> tuple[list[Rated], int]:
    """Return one row for each text of a system, and how many human texts are left out."""
    texts = _texts(path)
    references: dict[str, list[str]] = {}
    for (kind, context, _), text in texts.items():
        if is_human(kind) and text.output:
            references.setdefault(context, []).append(text.output)
    systems = {key: text for key, text in texts.items() if not is_human(key[0])}
    if not systems:
        problem = "no text of a system: there are no rows, or every TYPE starts with HUMAN"
        remedy = "give the ratings of a system's texts together with those of the human ones"
        raise InputError(problem, path=path, remedy=remedy)
    rows = []
    for (kind, context, _), text in systems.items():
        if context not in references:
            raise InputError(
                f"no human text for the context {text.context[:60]!r} of system {kind!r}",
                path=path,
                line=text.line,
                remedy="the human texts (TYPE starts with HUMAN) are the references: join their file to this one",
            )
        rows.append(_rated(text, kind, references[context], path))
    return rows, len(texts) - len(systems)


def _texts(path: str) -> dict[tuple[str, str, str], _Text]:
    """Return the texts by type, context and output; all workers' ratings of a text are together."""
    indexes = sorted({int(match[1]) for name in csv_header(path) if (match := _OUTPUT.fullmatch(name))})
    if not indexes:
        raise InputError(
            f"the header has no column 'Input.OUT0', so this is not {_WHAT}",
            path=path,
            line=1,
            remedy="the columns must be Input.CTX0, Input.OUT0, Input.TYPE0, Answer.0, Input.CTX1, ...;"
            " if the file has another format, name it: format=...",
        )
    needed = [
        name for i in indexes for name in (f"Input.CTX{i}", f"Input.OUT{i}", f"Input.TYPE{i}", f"Answer.{i}")
    ]
    texts: dict[tuple[str, str, str], _Text] = {}
    for line, cells in csv_rows(path, needed, _WHAT):
        for i in indexes:
            context, output = cells[f"Input.CTX{i}"].strip(), cells[f"Input.OUT{i}"].strip()
            kind = cells[f"Input.TYPE{i}"].strip()
            location = RowLocation(path, line, f"{kind} {i}")
            if not kind:
                location.fail(f"Input.TYPE{i} is empty", "name the system, or HUMAN for a human text")
            text = texts.setdefault((kind, _key(context), output), _Text(line, context, output))
            text.ratings.append(_rating(cells[f"Answer.{i}"], f"Answer.{i}", location))
    return texts


def _key(context: str) -> str:
    """Return what contexts of several batches have in common: quotation marks got lost in some of them."""
    return " ".join(context.replace('"', " ").split())


def _rating(answer: str, name: str, location: RowLocation) -> float:
    word_value = SCALE.get(answer.strip().lower())
    if word_value is not None:
        return float(word_value)
    try:
        rating = float(answer)
    except ValueError:
        rating = math.nan
    if not min(SCALE.values()) <= rating <= max(SCALE.values()):
        words = ", ".join(word.title() for word in SCALE)
        location.fail(
            f"{name} is {answer[:40]!r}" if answer.strip() else f"{name} is empty",
            f"an answer is one of {words}, or a number from 1 to 6; leave out lines that are not complete",
        )
    return rating


def _rated(text: _Text, kind: str, references: list[str], path: str) -> Rated:
    # A hash, since the file has no ids that hold across its batches.
    digest = hashlib.sha256(json.dumps([_key(text.context), text.output]).encode()).hexdigest()
    values: dict[str, object] = {
        "id": f"{kind}/{digest[:12]}",
        "candidate": text.output,
        "references": references,
        "context": text.context,
    }
    example = to_example(RawRow(text.line, values), 1, field_names(), path)
    ratings = tuple(text.ratings)
    human = mean(ratings)
    return Rated(example, human, kind, ratings, {"typicality": human}, "", "huse")
