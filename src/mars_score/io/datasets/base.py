"""A data set: rows to score, each with what people thought of it; and human ratings as files have them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io import delimited
from mars_score.io.source import open_input, pieces
from mars_score.text.words import words
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.io.fields import RowLocation

PAPER_NEWSROOM = ("textrank", "abstractive", "pointer_n")
"""The systems of Newsroom that the paper evaluates; it calls the second one Seq2Seq."""


@dataclass(frozen=True, slots=True)
class Rated:
    """One row to score, and its human ratings."""

    example: Example
    human: float
    """What metrics are compared with: one number for the row, higher is better."""
    system: str = ""
    """Which system wrote the candidate; empty where the file does not say."""
    ratings: tuple[float, ...] = ()
    """One number for each rater; empty where only the mean is known."""
    aspects: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Mean ratings of single qualities, as ``{"fluency": 4.3}``."""
    task: str = ""
    source: str = ""
    """Where the row comes from."""
    lang: str = ""
    """The language of its texts, as "de"; empty where the file does not say, which stands for English."""

    @property
    def id(self) -> str:
        """The example's id."""
        return self.example.id

    @property
    def item(self) -> str:
        """What rows of several systems share: a hash of their context and references.

        White space, the order of references and a reference given twice do not matter.
        """
        references = sorted({_folded(text) for text in self.example.references})
        return _sha256([_folded(self.example.context), references])[:16]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Rated rows in the order of their file."""

    name: str
    rows: tuple[Rated, ...]
    references_left_out: int = 0
    """How many rows of the file rate a human reference; they are not among the rows."""

    @property
    def examples(self) -> tuple[Example, ...]:
        """The rows without their ratings."""
        return tuple(row.example for row in self.rows)

    @property
    def human(self) -> tuple[float, ...]:
        """One rating a row."""
        return tuple(row.human for row in self.rows)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order in which they first appear."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @property
    def content_hash(self) -> str:
        """The sha256 of all that numbers can depend on: texts, ids, systems, ratings and the order of rows.

        The name, the tasks, the sources and the names of languages do not count.
        """
        return _sha256([_content(row) for row in self.rows])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Rated]:
        return iter(self.rows)


def _content(row: Rated) -> list[object]:
    example = row.example
    texts = [example.id, example.candidate, list(example.references), example.context, example.question]
    return [*texts, row.system, row.human, list(row.ratings), sorted(row.aspects.items())]


def _folded(text: str) -> str:
    return " ".join(text.split())


def _sha256(value: object) -> str:
    # JSON, because it marks where one text ends and the next one starts.
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def select(
    dataset: Dataset,
    systems: Collection[str] | None = None,
    tasks: Collection[str] | None = None,
    langs: Collection[str] | None = None,
) -> Dataset:
    """Return the rows of these systems, tasks and languages, in their order; ``None`` stands for all."""
    rows = dataset.rows
    choices: list[tuple[str, Collection[str] | None, Callable[[Rated], str]]] = [
        ("system", systems, lambda row: row.system),
        ("task", tasks, lambda row: row.task),
        ("language", langs, lambda row: row.lang),
    ]
    for kind, names, label in choices:
        if names is not None:
            wanted = _checked(kind, names, {label(row) for row in rows}, dataset.name)
            rows = tuple(row for row in rows if label(row) in wanted)
    return replace(dataset, rows=rows)


def _checked(kind: str, names: Collection[str], present: set[str], dataset: str) -> set[str]:
    """Return the names, all of which must be present: a misspelt one would silently leave its rows out."""
    wanted = {names} if isinstance(names, str) else set(names)
    listed = ", ".join(sorted(present - {""})) or "none"
    if not wanted:
        raise ConfigError(f"no {kind} is named; name one or more of {listed}")
    for name in sorted(wanted - present):
        raise ConfigError(f"{dataset} has no {kind} {name!r}; it has {listed}.{did_you_mean(name, present)}")
    return wanted


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts and mean lengths of a data set (the paper's Table 2), in words, with punctuation marks as words."""

    name: str
    rows: int
    """Rated texts; the paper counts Newsroom's 540 ratings here instead."""
    items: int
    """Different pairs of context and references."""
    systems: tuple[str, ...]
    ratings: int
    """Ratings of single raters; 0 where only means are known."""
    raters: tuple[int, int]
    """The fewest and the most ratings of a row."""
    context_length: float
    """Mean over rows, the question included."""
    reference_length: float
    """Mean over rows; of several references of a row, their mean counts."""
    omega: float
    """Context length over reference length, both means: low for open-ended tasks."""


def statistics(dataset: Dataset) -> Statistics:
    """Count and measure the rows of a data set."""
    if not dataset.rows:
        raise InputError(f"{dataset.name} has no rows", remedy="load or select at least one row")
    length = cache(lambda text: len(words(text)))
    contexts = mean([length(row.example.context) for row in dataset])
    references = mean([mean([length(text) for text in row.example.references]) for row in dataset])
    counts = [len(row.ratings) for row in dataset]
    return Statistics(
        name=dataset.name,
        rows=len(dataset),
        items=len({row.item for row in dataset}),
        systems=dataset.systems,
        ratings=sum(counts),
        raters=(min(counts), max(counts)),
        context_length=contexts,
        reference_length=references,
        omega=contexts / references,
    )


# Human ratings as files have them: numbers, lists of numbers, numbers by name.


def number(value: object, name: str, location: RowLocation) -> float | None:
    """Return a number, also one written as text; null, NaN and an empty text are no rating."""
    if isinstance(value, str):
        if not value.strip():
            return None
        text = value[:40]
        try:
            value = float(value)
        except ValueError:
            location.fail(f"{name} must be a number, not {text!r}", "write a number, or null for no rating")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        location.fail(
            f"{name} must be a number, not {json.dumps(value)[:40]}", "write a number, or null for no rating"
        )
    # This is false of NaN too, and true or false of whole numbers that no float can hold.
    return float(value) if abs(value) < 1e300 else None


def number_list(value: object, name: str, location: RowLocation) -> tuple[float, ...]:
    """Return a list of numbers, which a cell of a table holds as JSON; raters without a rating are left out."""
    if isinstance(value, str) and value.strip():
        value = _json(value, name, location, "[3, 4, 5]")
    if value is None or value == "":
        return ()
    if not isinstance(value, list):
        location.fail(f"{name} must be a list of numbers", "write a list such as [3, 4, 5], or null")
    ratings = [
        number(item, f"{name}[{index} of {len(value)}]", location) for index, item in enumerate(value, 1)
    ]
    return tuple(rating for rating in ratings if rating is not None)


def named_numbers(value: object, name: str, location: RowLocation) -> dict[str, float]:
    """Return numbers by name, which a cell of a table holds as JSON; names without a number are left out."""
    if isinstance(value, str) and value.strip():
        value = _json(value, name, location, '{"fluency": 4}')
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        location.fail(
            f"{name} must be an object of numbers", 'write an object such as {"fluency": 4}, or null'
        )
    ratings = {key: number(item, f"{name}.{key}", location) for key, item in value.items()}
    return {key: rating for key, rating in ratings.items() if rating is not None}


def mean(numbers: Sequence[float]) -> float:
    """Return the mean, summed without rounding so that it does not depend on the order of raters."""
    return math.fsum(numbers) / len(numbers)


def _json(text: str, name: str, location: RowLocation, example: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        location.fail(f"{name} is not JSON: {text[:40]!r}", f"write it as {example}")


# The tables of the original releases: a header, then rows whose last cells may be missing.


def csv_header(path: str) -> list[str]:
    """Return the column names of a csv file; empty for an empty file."""
    with open_input(path) as stream:
        _, cells = next(delimited.records(pieces(stream, path), path, ","), (1, []))
    return [cell.strip() for cell in cells]


def csv_rows(path: str, needed: Sequence[str], what: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the cells by name of each row of a csv file with at least the needed columns."""
    with open_input(path) as stream:
        rows = delimited.records(pieces(stream, path), path, ",")
        start, cells = next(rows, (1, []))
        names = [cell.strip() for cell in cells]
        _check_header(names, needed, what, path, start)
        # Crowdsourcing exports leave out trailing cells that were never filled, so a row may be shorter.
        least = 1 + max(names.index(name) for name in needed)
        for line, cells in rows:
            if not least <= len(cells) <= len(names):
                problem = f"the row has {len(cells)} cells, but the header has {len(names)}"
                remedy = "a cell that holds a comma, a quote or a line break must be quoted, and its quotes doubled"
                raise InputError(problem, path=path, line=line, remedy=remedy)
            yield line, dict(zip(names, cells, strict=False))


def _check_header(names: list[str], needed: Sequence[str], what: str, path: str, line: int) -> None:
    missing = [name for name in needed if name not in names]
    if missing:
        raise InputError(
            f"the header has no column {missing[0]!r}, so this is not {what}",
            path=path,
            line=line,
            remedy=f"the columns must be {', '.join(needed[:12])}{', ...' * (len(needed) > 12)};"
            " if the file has another format, name it: format=...",
        )
    twice = next((name for name in needed if names.count(name) > 1), None)
    if twice is not None:
        problem = f"the header has {names.count(twice)} columns {twice!r}"
        raise InputError(problem, path=path, line=line, remedy="rename all but one")
