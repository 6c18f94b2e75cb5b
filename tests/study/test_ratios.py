"""Table 5: one scoring, weighed anew, is what scoring with fewer ratios would have given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from mars_score.config import ratios_up_to
from mars_score.study.correlations import row_score
from mars_score.study.plan import StudySettings
from mars_score.study.run import run_study
from mars_score.study.scoring import make_work, score_works
from tests.study.toy_mars import toy_scorer
from tests.study.toys import dataset, reference

if TYPE_CHECKING:
    from mars_score.io.datasets.base import Dataset
    from mars_score.study.store import ScoreStore
    from mars_score.study.worker import Cosines


def several_references() -> Dataset:
    data = dataset(6)
    rows = [
        replace(
            row, example=replace(row.example, references=(reference(i), f"Nobody came to day {i} at all."))
        )
        for i, row in enumerate(data)
    ]
    return replace(data, rows=tuple(rows))


DATA = several_references()


def cosines_of(store: ScoreStore, **options: str) -> list[Cosines]:
    (result,) = score_works([make_work(DATA, toy_scorer(**options), (), (), 0, sweep=True)], store)
    assert result.cosines is not None
    return list(result.cosines)


@pytest.mark.parametrize("references", ["best", "mean"])
@pytest.mark.parametrize("maximum", [0.2, 0.4, 0.6, 0.8])
@pytest.mark.parametrize("q", [0.5, 1.0])
def test_weighing_anew_is_scoring_anew(store: ScoreStore, references: str, maximum: float, q: float) -> None:
    cosines = cosines_of(store)
    direct = toy_scorer(ratios=ratios_up_to(maximum), q=q, references=references).score_examples(
        DATA.examples
    )
    results = [row_score(cosine, maximum, q, references)[0] for cosine in cosines]
    assert results == pytest.approx(direct.scores, abs=1e-12)


def test_the_best_reference_is_chosen_for_each_setting() -> None:
    """By hand: the first reference is better alone, the second with its augmentation."""
    cosines = [[(0.0, 0.5), (0.2, 0.0)], [(0.0, 0.4), (0.2, 0.4)]]
    assert row_score(cosines, 0.0, 1.0, "best") == (0.5, 0.0)
    assert row_score(cosines, 0.2, 1.0, "best") == pytest.approx((0.4, 0.0))
    score, deviation = row_score(cosines, 0.2, 0.25, "mean")
    assert score == pytest.approx((0.8 * 0.5 + 0.4) / 2)
    assert deviation == pytest.approx((0.25 + 0.0) / 2)


def test_several_samples_of_a_ratio_share_its_weight() -> None:
    cosines = [[(0.0, 1.0), (0.2, 0.5), (0.2, 0.3)]]
    score, deviation = row_score(cosines, 0.2, 0.5, "best")
    assert score == pytest.approx((1.0 + 0.5 * 0.4) / 1.5)
    assert deviation == pytest.approx(np.std([1.0, 0.5, 0.3]))


def test_points(store: ScoreStore) -> None:
    settings = StudySettings(metrics=("mars",), attacks=(), draws=60)
    result = run_study([DATA], toy_scorer(q=0.7), store, settings).datasets[0]
    grid = [(ratio.lambda_max, ratio.q) for ratio in result.ratios]
    assert grid == [(top, q) for top in (0.0, 0.2, 0.4, 0.6, 0.8) for q in (0.4, 0.6, 0.7, 0.8, 1.0)]
    (point,) = (ratio for ratio in result.ratios if (ratio.lambda_max, ratio.q) == (0.6, 0.7))
    scores = [row.scores["mars"] for row in result.rows]
    assert point.pearson == pytest.approx(stats.pearsonr(scores, DATA.human).statistic)
    (item,) = (
        cell
        for cell in result.cells
        if (cell.level, cell.statistic, cell.target) == ("item", "kendall", "human")
    )
    assert point.kendall_item == pytest.approx(item.value)
    assert point.low is not None
    assert point.mean_deviation is not None
    assert all(ratio.mean_deviation is None for ratio in result.ratios if not ratio.lambda_max)
    (best,) = (ratio for ratio in result.ratios if ratio.best)
    assert best.pearson == max(ratio.pearson or -1 for ratio in result.ratios)


def test_no_sweep_where_it_is_not_wanted(store: ScoreStore) -> None:
    settings = StudySettings(metrics=("mars",), attacks=(), draws=20, sweep=False)
    assert run_study([DATA], toy_scorer(), store, settings).datasets[0].ratios == ()


def test_without_spread_there_is_no_best_point(store: ScoreStore) -> None:
    flat = replace(DATA, rows=tuple(replace(row, human=3.0) for row in DATA))
    settings = StudySettings(metrics=("mars",), attacks=(), draws=20)
    points = run_study([flat], toy_scorer(), store, settings).datasets[0].ratios
    assert points
    assert not any(point.best for point in points)
    assert {point.pearson for point in points} == {None}
