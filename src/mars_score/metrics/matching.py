"""What metrics share that match a candidate with its references: preparation, and the earth mover's distance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Generic, TypeVar

from mars_score import flags
from mars_score.metrics.base import Value
from mars_score.types import Example

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mars_score.progress import Progress, StageProgress


# The earth mover's distance: the least work that turns one bag of weighted vectors into another.

SOLVER = "pot"
"""What solves it, for signatures."""
STEPS = 10_000_000
"""Pivots after which the solver would give up; far more than texts of thousands of words need."""


@dataclass(frozen=True, slots=True)
class Bag:
    """Weighted vectors."""

    vectors: NDArray[np.float64]
    """(n, H), at least one."""
    weights: NDArray[np.float64]
    """(n,), none negative, with the sum 1."""


def bag(vectors: NDArray[np.float64], weights: NDArray[np.float64]) -> Bag:
    """Make the weights sum to 1."""
    return Bag(vectors, weights / weights.sum())


def distance(a: Bag, b: Bag) -> float:
    """The exact earth mover's distance under the Euclidean distance of vectors.

    Distances are taken from the differences of vectors, not from their products: so equal vectors are at a
    distance of exactly 0.
    """
    from ot import emd2
    from scipy.spatial.distance import cdist

    costs = cdist(a.vectors, b.vectors)  # (n, m)
    return max(0.0, float(emd2(a.weights, b.weights, costs, numItermax=STEPS)))


# What metrics that match a candidate with its references share: each text prepared once, the best counts.

BLOCK = 200_000
"""Characters of distinct texts that are held as vectors at a time: some hundred megabytes."""

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class Prepared(Generic[Content]):
    """A text, ready to be matched."""

    content: Content | None
    """None where nothing in the text can be matched: no words, no vectors or no weights."""
    truncated: bool = False
    """Whether the text's tail did not fit."""


def match(
    examples: Sequence[Example],
    prepare: Callable[[list[str], Progress], Sequence[Prepared[Content]]],
    compare: Callable[[Content, Content], float],
    progress: StageProgress,
    lowest: float = 0.0,
) -> list[Value]:
    """Score each example, in order; `compare` is given the candidate first, and never returns less than `lowest`."""
    blocks = list(_blocks(examples))
    total = sum(len(texts) for _, texts in blocks)
    values: dict[int, Value] = {}
    encoded = 0
    for rows, texts in blocks:
        contents = prepare(texts, _counting_on(progress, encoded, total))
        prepared = dict(zip(texts, contents, strict=True))
        encoded += len(texts)
        for row in rows:
            values[row] = _value(examples[row], prepared, compare, lowest)
            progress("comparing", len(values), len(examples))
    return [values[row] for row in range(len(examples))]


def _counting_on(progress: StageProgress, before: int, total: int) -> Progress:
    """Progress of a block, as progress of the whole."""
    return lambda done, _: progress("encoding", before + done, total)


def _blocks(examples: Sequence[Example]) -> Iterator[tuple[list[int], list[str]]]:
    """Rows that are done together, and their distinct texts.

    Rows with the same references are neighbours: those of many systems are then prepared once.
    """
    by_references: dict[tuple[str, ...], list[int]] = {}
    for row, example in enumerate(examples):
        by_references.setdefault(example.references, []).append(row)
    rows: list[int] = []
    texts: set[str] = set()
    size = 0
    for row in chain.from_iterable(by_references.values()):
        fresh = {examples[row].candidate, *examples[row].references} - texts
        size += sum(map(len, fresh))
        rows.append(row)
        texts |= fresh
        if size >= BLOCK:
            yield rows, sorted(texts)
            rows, texts, size = [], set(), 0
    if rows:
        yield rows, sorted(texts)


def _value(
    example: Example,
    prepared: Mapping[str, Prepared[Content]],
    compare: Callable[[Content, Content], float],
    lowest: float,
) -> Value:
    """The best reference; the lowest score for a candidate with nothing to match; undefined without a reference."""
    candidate = prepared[example.candidate]
    references = [prepared[reference] for reference in example.references]
    blank = not example.candidate.strip()
    raised = flags.raised(
        {
            flags.EMPTY_CANDIDATE: blank,
            flags.OUT_OF_VOCABULARY: not blank and candidate.content is None,
            flags.REFERENCE_OUT_OF_VOCABULARY: any(reference.content is None for reference in references),
            flags.CANDIDATE_TRUNCATED: candidate.truncated,
            flags.REFERENCE_TRUNCATED: any(reference.truncated for reference in references),
        }
    )
    if candidate.content is None:
        return Value(lowest, raised)
    scores = [
        compare(candidate.content, reference.content)
        for reference in references
        if reference.content is not None
    ]
    return Value(max(scores) if scores else None, raised)
