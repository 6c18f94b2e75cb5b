"""From rows to outcomes: batches through an engine, with progress and the bill."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from mars_score.cli.progress import bars
from mars_score.cli.stopping import last_words
from mars_score.engines.local import LocalEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mars_score.cli.cost_line import Bill
    from mars_score.engines.base import Engine, Worker
    from mars_score.progress import StageProgress
    from mars_score.types import Example
    from mars_score.work import Outcome

CHUNK = 256
"""Rows that are scored together and then saved."""
SHARE = 32
"""The fewest that a worker of several gets at a time: with them the decoder is about as fast as it can be."""
PORTIONS = 64
"""In how many portions a small file is given to workers, so that none waits long for the last one."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Batches:
    """Examples by the batch, taken as they are needed."""

    examples: Iterable[Example]
    size: int
    expected: int
    """About how many examples there are."""

    def __iter__(self) -> Iterator[list[Example]]:
        rest = iter(self.examples)
        while batch := list(islice(rest, self.size)):
            yield batch

    def __length_hint__(self) -> int:
        return -(-self.expected // self.size)


def chunk_size(engine: Engine, rows: int, most: int) -> int:
    """Rows that go together; where several workers share the work, fewer of a small file."""
    if isinstance(engine, LocalEngine):
        return most
    return min(most, max(SHARE, -(-rows // PORTIONS)))


def run(
    engine: Engine, make: Callable[[StageProgress], Worker[list[Example], Outcome[Row]]], batches: Batches, bill: Bill,
    noun: str = "rows",
) -> Iterator[Row]:  # fmt: skip
    """Yield the row of each example in order, a batch at a time."""
    with last_words(engine), bars(batches.expected, noun) as show:
        outcomes = engine.run(make, batches, show.stage)
        try:
            for outcome in outcomes:
                bill.add(outcome)
                yield from outcome.rows
                show.rows(len(outcome.rows))
        finally:
            # An engine that has started workers ends them now, not when memory is tidied.
            if (close := getattr(outcomes, "close", None)) is not None:
                close()
