"""Small data sets of our own writing, and metrics that need no model and count what they are asked."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from mars_score.io.datasets.base import Dataset, Rated
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics import registry
from mars_score.metrics.base import Input, Value
from mars_score.metrics.registry import MetricEntry
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

PLACES = [
    "harbour",
    "orchard",
    "library",
    "station",
    "bakery",
    "lighthouse",
    "market",
    "quarry",
    "mill",
    "chapel",
]
PEOPLE = ["Ida", "Tomas", "Rosa", "Emil", "Greta", "Anton", "Klara", "Oskar", "Marta", "Leo"]
SYSTEMS = {"short": 4, "middle": 7, "long": 12}
"""How many words of its ending each system writes."""
ENDING = "walked home and told everyone about the strange visitor at the old"


def context(item: int) -> str:
    position, person = PLACES[item % 10], PEOPLE[item % 10]
    return f"{person} went to the {position} in the morning. A stranger waited at the {position}. It was day {item}."


def reference(item: int) -> str:
    return f"{PEOPLE[item % 10]} {ENDING} {PLACES[item % 10]}."


def dataset(items: int = 8, name: str = "toy", *, ratings: bool = True, seed: int = 1) -> Dataset:
    """Every system's ending of every item; longer ones are rated higher, with noise."""
    random = Random(seed)
    rows = []
    for item in range(items):
        for system, count in SYSTEMS.items():
            words = f"{PEOPLE[random.randrange(10)]} {ENDING}".split()
            keep = max(1, count - random.randrange(4))
            given = [float(min(5, max(1, round(count / 3 + random.random() * 2)))) for _ in range(3)]
            fluency = float(1 + random.randrange(5))
            rows.append(
                Rated(
                    Example(
                        f"{item}-{system}", " ".join(words[:keep]) + ".", (reference(item),), context(item)
                    ),
                    sum(given) / 3,
                    system,
                    tuple(given) if ratings else (),
                    {"fluency": fluency} if item else {},
                )
            )
    return Dataset(name, tuple(rows))


def with_candidate(data: Dataset, index: int, text: str) -> Dataset:
    """The data set with one candidate changed."""
    rows = list(data.rows)
    rows[index] = replace(rows[index], example=replace(rows[index].example, candidate=text))
    return replace(data, rows=tuple(rows))


@dataclass
class Counting:
    """A metric that counts letters, and remembers which rows it was asked for."""

    name: str
    letter: str = "e"
    higher_is_better: bool = True
    inputs: tuple[Input, ...] = ()
    asked: list[str] = field(default_factory=list)
    fail_after: int | None = None
    signal: signal.Signals = signal.SIGINT
    """What comes then."""
    undefined: frozenset[str] = frozenset()

    @property
    def signature(self) -> str:
        return f"counting:{self.letter}|undefined:{'+'.join(sorted(self.undefined))}"

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        rows = [example for example in examples if example.id != "warm-up"]
        if self.fail_after is not None and len(self.asked) + len(rows) > self.fail_after:
            signal.raise_signal(self.signal)
        self.asked += [example.id for example in rows]
        return [
            Value(None, ("empty_candidate",))
            if example.id in self.undefined
            else Value(float(example.candidate.count(self.letter)))
            for example in examples
        ]


def register(monkeypatch: pytest.MonkeyPatch, metric: Counting, *, models: tuple[str, ...] = ()) -> Counting:
    """Make a metric known by its name for the length of a test."""
    entry = MetricEntry(
        f"counts the letter {metric.letter}", lambda *_: metric, models=models,
        higher_is_better=metric.higher_is_better,
    )  # fmt: skip
    monkeypatch.setitem(registry.METRICS, metric.name, entry)
    return metric


class NoParts:
    """Parts that tell the names of models but refuse to load one."""

    def __init__(self) -> None:
        self.named = 0

    def check(self, config: object) -> None:
        pass

    def name(self, name: str, roles: object) -> str:
        self.named += 1
        return f"{name}@0123"

    def infilling_name(self, config: object) -> str:
        return "lm@0123"

    def tagger_name(self, name: str) -> str:
        return f"{name}@0123"

    def reader_name(self, config: object) -> str:
        return "reader@0123"

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the model {name} was loaded")


def modelless_scorer() -> MarsScorer:
    """A scorer that has no models."""
    scorer = MarsScorer()
    scorer.parts = NoParts()  # type: ignore[assignment]
    return scorer


def write_rows(path: Path, data: Dataset) -> Path:
    """Write a data set as JSON lines."""
    import json

    lines = [
        json.dumps(
            {
                "id": row.id, "system": row.system, "context": row.example.context,
                "references": row.example.references, "candidate": row.example.candidate, "human": row.human,
                "ratings": row.ratings, "aspects": dict(row.aspects),
            }
        )
        for row in data
    ]  # fmt: skip
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
