"""How scores change: against scipy, by hand, and where nothing can be said."""

from __future__ import annotations

import warnings
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mars_score.errors import InputError
from mars_score.study.attacks.robustness import robustness

few = st.integers(-3, 3).map(float)


def test_by_hand() -> None:
    # Deviations from the means: (.3, -.1, -.2), then (0, .1, -.1), and (5, 2, -7) / 3 of the ratings.
    before, after = 0.9 / (0.14 * 26 / 3) ** 0.5, 0.3 / (0.02 * 26 / 3) ** 0.5
    result = robustness(
        [0.9, 0.5, 0.4, None], [0.5, 0.6, 0.4, 0.1], [5, 4, 1, 2], attack="reorder", not_applicable=7
    )
    assert asdict(result) == {
        "attack": "reorder",
        "rows": 3,
        "not_applicable": 7,
        "undefined": 1,
        "mean_change": pytest.approx(-0.1),
        "share": pytest.approx(1.5 / 3),  # won, lost, tied
        "ties": pytest.approx(1 / 3),
        "upper_rows": 2,  # rated 5 and 4; the median is 4
        "upper_share": 0.5,
        "pearson": {"before": pytest.approx(before), "after": pytest.approx(after)},
        "spearman": {"before": pytest.approx(1.0), "after": pytest.approx(0.5)},
    }
    assert result.pearson.change == pytest.approx(after - before)


@given(st.lists(st.tuples(few, few, few), min_size=2, max_size=20))
def test_correlations_are_those_of_scipy(rows: list[tuple[float, float, float]]) -> None:
    before, after, human = (np.array(column) for column in zip(*rows, strict=True))
    result = robustness(before.tolist(), after.tolist(), human.tolist())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of constant input and returns NaN
        for ours, theirs in ((result.pearson, stats.pearsonr), (result.spearman, stats.spearmanr)):
            for number, scores in ((ours.before, before), (ours.after, after)):
                expected = theirs(scores, human).statistic
                assert number is None if np.isnan(expected) else number == pytest.approx(expected, abs=1e-9)
    pairs = [0.5 if old == new else float(old > new) for old, new, _ in rows]
    assert result.share == pytest.approx(np.mean(pairs))


@given(st.lists(st.tuples(few, few, few), min_size=1, max_size=20))
def test_lower_is_better_is_the_negated_metric(rows: list[tuple[float, float, float]]) -> None:
    before, after, human = (list(column) for column in zip(*rows, strict=True))
    negated = robustness([-x for x in before], [-x for x in after], human)
    assert robustness(before, after, human, higher_is_better=False) == negated


@given(st.lists(st.tuples(few, few, few), min_size=1, max_size=20))
def test_the_order_of_rows_does_not_matter(rows: list[tuple[float, float, float]]) -> None:
    turned = rows[::-1]
    first, other = (robustness(*map(list, zip(*each, strict=True))) for each in (rows, turned))
    assert (first.share, first.upper_share, first.rows) == (other.share, other.upper_share, other.rows)
    assert first.mean_change == pytest.approx(other.mean_change)


@pytest.mark.parametrize("scores", [[], [None], [float("nan")]])
def test_nothing_to_compare(scores: list[float | None]) -> None:
    result = robustness(scores, scores, [1.0] * len(scores))
    assert (result.rows, result.undefined) == (0, len(scores))
    assert (result.mean_change, result.share, result.upper_share, result.ties) == (None, None, None, None)
    assert result.pearson.change is None


def test_constant_scores_have_no_correlation() -> None:
    result = robustness([1, 2, 3], [1, 1, 1], [1, 2, 3])
    assert asdict(result.pearson) == {"before": pytest.approx(1.0), "after": None}
    assert result.spearman.change is None


def test_lists_of_different_lengths() -> None:
    with pytest.raises(InputError, match="2 original scores, 1 attacked scores and 2 ratings"):
        robustness([1, 2], [1], [1, 2])
