"""The percent scale: its two ends, its order, and what it leaves as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mars_score
from mars_score.io.readers import read_examples
from mars_score.mars.score import UNRELATED, PercentScale

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import Example

DEMO = Path(__file__).parents[2] / "examples" / "demo.jsonl"
SCORES = st.floats(-2, 2)


@pytest.fixture(scope="module")
def rows() -> list[Example]:
    return list(read_examples(DEMO))


@given(SCORES, SCORES, SCORES, SCORES)
def test_higher_scores_have_no_lower_percentage(
    unrelated: float, copy: float, one: float, other: float
) -> None:
    scale = PercentScale(unrelated, copy)
    low, high = sorted((one, other))
    assert 0 <= scale.percent(low) <= scale.percent(high) <= 100
    assert scale.percent(copy) == 100


def test_worked_by_hand() -> None:
    scale = PercentScale(0.1, 0.9)
    assert [scale.percent(score) for score in (-1, 0.1, 0.3, 0.5, 0.9, 1)] == pytest.approx(
        [0, 0, 25, 50, 100, 100]
    )
    assert PercentScale(0.5, 0.5).percent(0.4) == 0


def test_a_copy_has_100_and_unrelated_texts_0_in_the_middle(scorer: MarsScorer, rows: list[Example]) -> None:
    percent = scorer.with_options(scale="percent")
    first = rows[0]
    copies = [replace(first, id=text, candidate=text) for text in first.references]
    strangers = [replace(first, id=text, candidate=text) for text in UNRELATED]
    items = percent.score_examples([*copies, *strangers]).items
    assert max(item.reported for item in items[: len(copies)]) == 100
    plain = scorer.score_examples(strangers).scores
    zero = sorted(UNRELATED, key=dict(zip(UNRELATED, plain, strict=True)).__getitem__)[len(UNRELATED) // 2]
    assert next(item for item in items if item.id == zero).percent == 0
    assert median(plain) == pytest.approx(next(item for item in items if item.id == zero).score, abs=1e-9)


def test_scores_and_explanations_stay_what_they_are(scorer: MarsScorer, rows: list[Example]) -> None:
    percent = scorer.with_options(scale="percent")
    plain, scaled = scorer.score_examples(rows), percent.score_examples(rows)
    assert [item.score for item in scaled] == plain.scores
    assert [item.adjustments for item in scaled] == [item.adjustments for item in plain]
    assert scaled.scores == [item.percent for item in scaled]
    assert all(0 <= score <= 100 for score in scaled.scores)
    assert scaled.signature == plain.signature.replace("|dtype:", "|scale:percent.v1|dtype:")
    assert "percent" in scaled.items[0].to_dict()
    assert "percent" not in plain.items[0].to_dict()
    for one in rows:
        beside = [
            (a.score, b.percent)
            for a, b, row in zip(plain, scaled, rows, strict=True)
            if row.pairs == one.pairs
        ]
        assert [p for _, p in sorted(beside)] == sorted(p for _, p in beside if p is not None)


def test_every_way_of_asking(scorer: MarsScorer, rows: list[Example]) -> None:
    row = rows[0]
    result = mars_score.score([row.candidate], [list(row.references)], [row.context], scale="percent")
    assert result.scores == scorer.with_options(scale="percent").score_examples([row]).scores
    with pytest.raises(mars_score.ConfigError, match="scale"):
        mars_score.score([row.candidate], [list(row.references)], [row.context], scale="percents")
