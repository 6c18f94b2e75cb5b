"""Texts matched piece by piece: worked by hand, and what holds for any two texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.encoders.base import TokenReading
from mars_score.mars.adjustments import HALF_COVERED, RECALL, soft_match

if TYPE_CHECKING:
    from mars_score.config import MatchKind

KINDS: tuple[MatchKind, ...] = ("balanced", "recall", "either", "coverage")
SINGLE = 1e-6
"""Vectors are kept in single precision."""
every = pytest.mark.parametrize("kind", KINDS)


def match(candidate: TokenReading, reference: TokenReading, kind: MatchKind) -> float:
    return float(soft_match(candidate, [reference], kind)[0])


def reading(vectors: list[list[float]], weights: list[float]) -> TokenReading:
    raw = np.array(vectors, np.float64)
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    share = np.array(weights, np.float64) / sum(weights)
    return TokenReading(unit.astype(np.float32), share.astype(np.float32), 0.0)


pieces = st.lists(
    st.tuples(
        st.lists(st.integers(-4, 4), min_size=3, max_size=3).filter(any), st.floats(0.01, 5, allow_nan=False)
    ),
    min_size=1, max_size=6,
)  # fmt: skip
readings = st.builds(lambda found: reading([one[0] for one in found], [one[1] for one in found]), pieces)


@pytest.mark.numeric
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        # Precision: 0.25 of the candidate finds itself, the rest a vector at a right angle or the like.
        # The candidate's second piece is (0.6, 0.8): 0.6 like the reference's first piece, 0.8 like its second.
        ("balanced", 0.5 * (0.25 * 1 + 0.75 * 0.8) + 0.5 * (0.4 * 1 + 0.6 * 0.8)),
        ("recall", 0.3 * (0.25 * 1 + 0.75 * 0.8) + 0.7 * (0.4 * 1 + 0.6 * 0.8)),
        # Precision 0.85, recall 0.88: the larger is recall here, so its share does not matter.
        ("coverage", 0.4 * 1 + 0.6 * 0.8),
        ("either", max(0.25 * 1 + 0.75 * 0.8, 0.4 * 1 + 0.6 * 0.8)),
    ],
)
def test_worked_by_hand(kind: MatchKind, expected: float) -> None:
    candidate = reading([[1, 0], [0.6, 0.8]], [1, 3])
    reference = reading([[1, 0], [0, 1]], [2, 3])
    assert RECALL == 0.7
    assert match(candidate, reference, kind) == pytest.approx(expected, abs=SINGLE)


@every
@given(text=readings)
def test_a_text_matches_itself(kind: MatchKind, text: TokenReading) -> None:
    assert match(text, text, kind) == pytest.approx(1, abs=SINGLE)


@every
@given(one=readings, other=readings)
def test_bounds(kind: MatchKind, one: TokenReading, other: TokenReading) -> None:
    assert -1 - SINGLE <= match(one, other, kind) <= 1 + SINGLE


@given(one=readings, other=readings)
def test_balanced_and_either_do_not_mind_which_is_which_but_recall_does(
    one: TokenReading, other: TokenReading
) -> None:
    kinds: tuple[MatchKind, ...] = ("balanced", "either")
    for kind in kinds:
        assert match(one, other, kind) == pytest.approx(match(other, one, kind), abs=1e-6)
    both = match(one, other, "recall") + match(other, one, "recall")
    assert both == pytest.approx(2 * match(one, other, "balanced"), abs=1e-5)
    assert match(one, other, "either") >= match(one, other, "recall") - 1e-6
    assert match(one, other, "either") >= match(one, other, "coverage") - 1e-6


def test_a_part_of_the_reference_is_as_good_as_all_of_it_where_either_will_do() -> None:
    part = reading([[1, 0, 0]], [1])
    whole = reading([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1])
    assert match(part, whole, "either") == match(whole, part, "either") == pytest.approx(1, abs=SINGLE)
    assert match(part, whole, "recall") < match(part, whole, "balanced") < match(whole, part, "recall")


@pytest.mark.parametrize("count", [2, 12, 36])
def test_to_cover_a_reference_counts_more_the_longer_it_is(count: int) -> None:
    """The candidate is the first half of the reference: precision 1, recall one half."""
    part, whole = (reading([[1.0, 0.0]] * half + [[0.0, 1.0]] * more, [1] * (half + more)) for half, more in (
        (count // 2, 0), (count // 2, count // 2),
    ))  # fmt: skip
    share = count**2 / (count**2 + HALF_COVERED**2)
    assert match(part, whole, "coverage") == pytest.approx(1 - share / 2, abs=SINGLE)


@pytest.mark.numeric
@every
@given(text=readings, others=st.lists(readings, min_size=1, max_size=5))
def test_several_texts_are_matched_as_each_alone(
    kind: MatchKind, text: TokenReading, others: list[TokenReading]
) -> None:
    together = soft_match(text, others, kind)
    assert together.tolist() == pytest.approx([match(text, other, kind) for other in others], abs=1e-6)
