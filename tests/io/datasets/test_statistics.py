"""The columns of Table 2."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from mars_score.errors import InputError
from mars_score.io.datasets.base import Dataset, Rated, statistics
from mars_score.types import Example


def row(number: int, context: str, references: tuple[str, ...], raters: int) -> Rated:
    example = Example(str(number), "a", references, context)
    return Rated(example, 1.0, f"system {number % 2}", (1.0,) * raters)


def test_counts_and_lengths() -> None:
    dataset = Dataset(
        "small",
        (
            row(0, "One two, three.", ("Four five six.",), 2),  # 5 and 4 words
            row(1, "One two, three.", ("Four five six.",), 3),
            row(2, "", ("Seven.", "Eight nine ten."), 0),  # 0 words, and the mean of 2 and 4
        ),
    )
    assert asdict(statistics(dataset)) == {
        "name": "small",
        "rows": 3,
        "items": 2,
        "systems": ("system 0", "system 1"),
        "ratings": 5,
        "raters": (0, 3),
        "context_length": pytest.approx(10 / 3),
        "reference_length": pytest.approx(11 / 3),
        "omega": pytest.approx(10 / 11),
    }


def test_no_rows() -> None:
    with pytest.raises(InputError, match="none has no rows"):
        statistics(Dataset("none", ()))
