"""A data set: rows to score, each with what people thought of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mars_score.types import Example


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
