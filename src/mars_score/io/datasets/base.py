"""A data set: rows to score, each with what people thought of it; parts of it, and what it is like."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io.datasets.ratings import mean
from mars_score.text.words import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mars_score.types import Example

    pass

    pass


# A data set: rows to score, each with what people thought of it.


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


# A part of a data set: some of its systems, some of its tasks, some of its languages.

PAPER_NEWSROOM = ("textrank", "abstractive", "pointer_n")
"""The systems of Newsroom that the paper evaluates; it calls the second one Seq2Seq."""


def select(
    dataset: Dataset,
    systems: Collection[str] | None = None,
    tasks: Collection[str] | None = None,
    langs: Collection[str] | None = None,
) -> Dataset:
    """Return the rows of these systems, tasks and languages, in their order; ``None`` stands for all."""
    rows = dataset.rows
    if systems is not None:
        wanted = _known("system", systems, {row.system for row in rows}, dataset.name)
        rows = tuple(row for row in rows if row.system in wanted)
    if tasks is not None:
        wanted = _known("task", tasks, {row.task for row in rows}, dataset.name)
        rows = tuple(row for row in rows if row.task in wanted)
    if langs is not None:
        wanted = _known("language", langs, {row.lang for row in rows}, dataset.name)
        rows = tuple(row for row in rows if row.lang in wanted)
    return replace(dataset, rows=rows)


def _known(kind: str, names: Collection[str], present: set[str], dataset: str) -> set[str]:
    """Return the names, all of which must be present: a misspelt one would silently leave its rows out."""
    wanted = {names} if isinstance(names, str) else set(names)
    listed = ", ".join(sorted(present - {""})) or "none"
    if not wanted:
        raise ConfigError(f"no {kind} is named; name one or more of {listed}")
    for name in sorted(wanted - present):
        raise ConfigError(f"{dataset} has no {kind} {name!r}; it has {listed}.{did_you_mean(name, present)}")
    return wanted


# What a data set is like: the columns of the paper's Table 2.


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts and mean lengths of a data set. A length is in words, with punctuation marks as words."""

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
    length = lru_cache(maxsize=None)(_length)
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


def _length(text: str) -> int:
    return len(words(text))
