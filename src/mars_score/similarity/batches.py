"""Batches of one length and one height: no padding, and the same arithmetic for a row in any company.

Libraries choose the order of a sum by the shape of a batch. So the shape follows from the length of a row
alone: where there are too few rows of a length, the first is repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def height(length: int, tokens: int) -> int:
    """Rows in a batch of this length that should have about so many tokens."""
    return max(1, tokens // max(1, length))


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Indices of rows that go together, the longest first, so that the last batches are quick ones."""
    alike: dict[int, list[int]] = {}
    for index, length in enumerate(lengths):
        alike.setdefault(length, []).append(index)
    for length, members in sorted(alike.items(), reverse=True):
        step = height(length, tokens)
        for start in range(0, len(members), step):
            yield members[start : start + step]


def topped_up(rows: Sequence[Sequence[int]], tokens: int) -> list[Sequence[int]]:
    """The rows of a batch, and repetitions of the first up to the full height."""
    return [*rows, *[rows[0]] * (height(len(rows[0]), tokens) - len(rows))]
