"""The numbers of a study, checked against direct calls of scipy and by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from mars_score.errors import ConfigError
from mars_score.io.datasets.base import Dataset, Rated
from mars_score.study import analyse
from mars_score.study.analyse import Analysis
from mars_score.study.correlations import MORE, permute
from mars_score.study.plan import StudySettings, attack_names
from mars_score.study.results import HUMAN, PER_RATING
from mars_score.study.run import run_study
from mars_score.study.scoring import make_work, score_works
from mars_score.study.store import ScoreStore
from mars_score.types import Example
from tests.study.toys import Counting, dataset, modelless_scorer, register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.study.correlations import MetricPair
    from mars_score.study.results import Cell, DatasetResult, Study

DATA = dataset(8)
METRICS = ("rougeL", "bleu1", "ter", "candidate_length", "random")
SETTINGS = StudySettings(metrics=METRICS, attacks=("reorder", "truncation"), draws=100)
FUNCTIONS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def study(store: ScoreStore, data: Dataset = DATA, settings: StudySettings = SETTINGS) -> Study:
    return run_study([data], modelless_scorer(), store, settings)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> DatasetResult:
    with ScoreStore(tmp_path_factory.mktemp("study")) as store:
        return study(store).datasets[0]


def cell(
    result: DatasetResult, metric: str, level: str, statistic: str, target: str = HUMAN, group: str = ""
) -> Cell:
    (wanted,) = (
        cell
        for cell in result.cells
        if (cell.metric, cell.level, cell.statistic, cell.target, cell.group)
        == (metric, level, statistic, target, group)
    )
    return wanted


def column(result: DatasetResult, metric: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """One metric's scores with the sign that makes higher better."""
    sign = -1 if metric == "ter" else 1
    return np.array([sign * (row.scores[metric] or 0.0) for row in result.rows])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("statistic", FUNCTIONS)
def test_correlations_are_those_of_scipy(result: DatasetResult, metric: str, statistic: str) -> None:
    function = FUNCTIONS[statistic]
    scores, human = column(result, metric), np.array(DATA.human)
    pooled = cell(result, metric, "pooled", statistic)
    assert pooled.value == pytest.approx(function(scores, human).statistic)
    assert (pooled.low or 0) < (pooled.value or 0) < (pooled.high or 0)
    each = []
    for system in ("short", "middle", "long"):
        chosen = np.array([row.system == system for row in DATA])
        value = function(scores[chosen], human[chosen]).statistic
        each.append(value)
        assert cell(result, metric, "system", statistic, group=system).value == pytest.approx(value)
    assert cell(result, metric, "system", statistic).value == pytest.approx(np.mean(each))
    means = [
        [values[[row.system == system for row in DATA]].mean() for system in ("short", "middle", "long")]
        for values in (scores, human)
    ]
    assert cell(result, metric, "system_means", statistic).value == pytest.approx(function(*means).statistic)


def test_undefined_items_are_counted_never_nan(store: ScoreStore) -> None:
    """By hand: two items, of which correlation has constant ratings."""
    rows = [
        Rated(Example(f"{item}{i}", "word " * (i + 1), (f"Item {item}.",), f"Item {item}"), human, f"s{i}")
        for item, ratings in (("a", (1, 2, 3)), ("b", (4, 4, 4)))
        for i, human in enumerate(map(float, ratings))
    ]
    result = study(
        store, Dataset("two", tuple(rows)), replace(SETTINGS, metrics=("candidate_length",))
    ).datasets[0]
    correlation = cell(result, "candidate_length", "item", "kendall")
    assert correlation.value == pytest.approx(1.0)
    assert (correlation.n, correlation.undefined, correlation.reason) == (1, {"human_constant": 1}, None)
    assert result.info.alpha_interval is None
    assert result.info.alpha_reason == "no_pair"


def test_a_constant_metric_is_undefined_with_a_reason(
    store: ScoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch, Counting("none", letter="§"))
    result = study(store, settings=replace(SETTINGS, metrics=("none", "rougeL"))).datasets[0]
    correlation = cell(result, "none", "pooled", "pearson")
    assert (correlation.value, correlation.low, correlation.reason) == (None, None, "metric_constant")
    assert cell(result, "none", "item", "pearson").undefined == {"metric_constant": 8}
    assert not result.contrasts
    ranked = [(rank.metric, rank.cluster) for rank in result.places if rank.level == "pooled"]
    assert ranked == [("rougeL", 1), ("none", None)]


def test_rows_without_a_score_are_counted(store: ScoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = frozenset(row.id for row in DATA.rows[:4])
    register(monkeypatch, Counting("count", undefined=gone))
    result = study(store, settings=replace(SETTINGS, metrics=("count",))).datasets[0]
    correlation = cell(result, "count", "pooled", "pearson")
    assert (correlation.n, correlation.left_out) == (20, 4)
    kept = [row for row in result.rows if row.id not in gone]
    expected = stats.pearsonr(
        [row.scores["count"] or 0.0 for row in kept], [row.human for row in kept]
    ).statistic
    assert correlation.value == pytest.approx(expected)
    assert [row.flags for row in result.rows[:5]] == [("empty_candidate",)] * 4 + [()]


def test_aspects_and_single_ratings(result: DatasetResult) -> None:
    rated = [row for row in DATA if "fluency" in row.aspects]
    scores = column(result, "rougeL")
    fluency = cell(result, "rougeL", "pooled", "pearson", target="fluency")
    expected = stats.pearsonr(scores[3:], [row.aspects["fluency"] for row in rated]).statistic
    assert fluency.value == pytest.approx(expected)
    assert (fluency.n, fluency.left_out) == (21, 3)
    assert fluency.low is not None
    assert cell(result, "rougeL", "item", "kendall", target="fluency").low is None
    single = cell(result, "rougeL", "pooled", "pearson", target=PER_RATING)
    ratings = [rating for row in DATA for rating in row.ratings]
    assert single.n == len(ratings) == 72
    assert single.value == pytest.approx(stats.pearsonr(np.repeat(scores, 3), ratings).statistic)
    assert cell(result, "rougeL", "system", "pearson", PER_RATING, "long").n == 24
    assert {cell.level for cell in result.cells if cell.target == PER_RATING} == {"pooled", "system"}


def test_a_data_set_without_system_names_has_no_system_columns(store: ScoreStore) -> None:
    data = replace(DATA, rows=tuple(replace(row, system="") for row in DATA))
    result = study(store, data).datasets[0]
    assert {cell.group for cell in result.cells} == {""}
    pooled, system = (cell(result, "rougeL", level, "pearson").value for level in ("pooled", "system"))
    assert pooled == pytest.approx(system)
    assert cell(result, "rougeL", "system_means", "pearson").reason == "too_short"


def test_contrasts_and_places(result: DatasetResult) -> None:
    for level, statistic in (("pooled", "pearson"), ("item", "kendall")):
        results = [
            contrast
            for contrast in result.contrasts
            if (contrast.level, contrast.test) == (level, "perm-both")
        ]
        assert len(results) == 10  # all pairs of five metrics
        values = {name: cell(result, name, level, statistic).value for name in METRICS}
        for contrast in results:
            better, worse = values[contrast.better], values[contrast.worse]
            assert better is not None
            assert worse is not None
            assert better >= worse
            assert contrast.difference == pytest.approx(better - worse)
            assert contrast.p is not None
            assert contrast.p_corrected is not None
            assert 1 / 1001 <= contrast.p <= contrast.p_corrected <= 1
        places = [rank for rank in result.places if rank.level == level]
        assert [rank.metric for rank in places] == sorted(
            METRICS, key=lambda name: (-(values[name] or 0), name)
        )
        assert [rank.cluster for rank in places] == sorted(rank.cluster or 0 for rank in places)
    williams = [contrast for contrast in result.contrasts if contrast.test == "williams"]
    assert {(contrast.level, contrast.statistic) for contrast in williams} == {("pooled", "pearson")}
    assert len(williams) == 10
    # Length knows how these ratings were made; chance does not.
    (clear,) = (
        contrast
        for contrast in williams
        if (contrast.better, contrast.worse) == ("candidate_length", "random")
    )
    assert clear.p is not None
    assert clear.p < 0.01


def test_smallest_p_can_survive_the_correction() -> None:
    """With 25 metrics Holm multiplies by 300: a thousand draws of a permutation test could not tell any apart."""
    assert 300 / (StudySettings().draws * MORE + 1) < 0.05


def test_a_metric_that_knows_the_ratings_is_in_the_first_cluster_alone(
    store: ScoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The letter § stands in a candidate as often as people like it: no other metric comes near."""
    rows = tuple(
        replace(
            row, example=replace(row.example, candidate=row.example.candidate + "§" * round(3 * row.human))
        )
        for row in dataset(20)
    )
    register(monkeypatch, Counting("oracle", letter="§"))
    result = study(store, replace(DATA, rows=rows), replace(SETTINGS, metrics=("random", "oracle"))).datasets[
        0
    ]
    for level in ("pooled", "item"):
        places = [rank for rank in result.places if rank.level == level]
        assert [(rank.metric, rank.cluster, rank.rank) for rank in places] == [
            ("oracle", 1, 1),
            ("random", 2, 2),
        ]


def test_attacks(result: DatasetResult) -> None:
    by_name = {(attack.metric, attack.attack): attack for attack in result.attacks}
    assert len(by_name) == len(METRICS) * 2
    cut = by_name["candidate_length", "truncation"]
    assert cut.share == 1.0
    assert cut.mean_before is not None
    assert cut.mean_after is not None
    assert cut.mean_after < cut.mean_before
    assert cut.rows + cut.not_applicable == len(DATA)
    blind = by_name["bleu1", "reorder"]
    assert blind.share is not None
    edits = by_name["ter", "truncation"]
    assert edits.mean_before is not None
    assert edits.mean_before > 0  # in the metric's own numbers
    assert edits.pearson_before is not None
    length = by_name["candidate_length", "reorder"]
    assert (length.share, length.pearson_after) == (0.5, length.pearson_before)


def test_info(result: DatasetResult) -> None:
    info = result.info
    assert (info.rows, info.items, info.systems) == (24, 8, ("short", "middle", "long"))
    assert (info.ratings, info.raters) == (72, (3, 3))
    assert info.mean == pytest.approx(np.mean(DATA.human))
    assert info.deviation == pytest.approx(np.std(DATA.human, ddof=1))
    assert sum(info.histogram_counts) == 24
    assert len(info.histogram_edges) == len(info.histogram_counts) + 1
    assert info.omega == pytest.approx(info.context_length / info.reference_length)
    assert info.alpha_interval is not None
    assert info.content_hash == DATA.content_hash


def test_rows_are_the_whole_data_set(result: DatasetResult) -> None:
    assert [(row.id, row.item, row.system, row.human) for row in result.rows] == [
        (row.id, row.item, row.system, row.human) for row in DATA
    ]
    assert all(list(row.scores) == list(METRICS) for row in result.rows)
    assert min(row.scores["ter"] or 0 for row in result.rows) >= 0


def test_costs(result: DatasetResult) -> None:
    by_name = {cost.metric: cost for cost in result.costs}
    rouge, other = by_name["rougeL"], by_name["random"]
    assert rouge.ratio_to_rouge == 1.0
    assert other.rows_per_second == pytest.approx(other.rows / other.seconds)
    assert other.ratio_to_rouge == pytest.approx(rouge.rows_per_second / other.rows_per_second)
    assert rouge.rows == len({(row.example.candidate, row.item) for row in DATA})


def test_costs_without_rouge(store: ScoreStore) -> None:
    result = study(store, settings=replace(SETTINGS, metrics=("random",))).datasets[0]
    assert result.costs[0].ratio_to_rouge is None


def test_disagreements_without_mars_are_of_the_first_metric(result: DatasetResult) -> None:
    listed = result.disagreements
    assert len(listed) == 10
    assert {disagreement.metric for disagreement in listed} == {"rougeL"}
    apart = [abs(disagreement.score_rank - disagreement.human_rank) for disagreement in listed]
    assert apart == sorted(apart, reverse=True)
    scores, human = column(result, "rougeL"), np.array(DATA.human)
    for disagreement in listed:
        position = [row.id for row in DATA].index(disagreement.id)
        below = (scores < scores[position]).sum() + ((scores == scores[position]).sum() - 1) / 2
        assert disagreement.score_rank == pytest.approx(below / 23)
        assert disagreement.human == human[position]
        assert disagreement.terms == ()


def test_a_second_run_computes_no_statistic(store: ScoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first = study(store)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(analyse, "cells", refuse)
    monkeypatch.setattr(analyse, "permute", refuse)
    assert study(store) == first


def test_an_added_metric_computes_only_its_own_statistics(
    store: ScoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    study(store)
    asked: list[set[str]] = []

    def watched(questions: Sequence[MetricPair], *rest: Any, **options: Any) -> None:
        asked.extend({question.better, question.worse} for question in questions)
        permute(questions, *rest, **options)

    monkeypatch.setattr(analyse, "permute", watched)
    study(store, settings=replace(SETTINGS, metrics=(*METRICS, "chrf")))
    assert len(asked) == 10  # five pairs, asked in two ways
    assert all("chrf" in pair for pair in asked)


@pytest.mark.parametrize("change", [{"draws": 50}, {"seed": 3}])
def test_other_draws_or_another_seed_are_other_intervals(store: ScoreStore, change: dict[str, int]) -> None:
    result = study(store).datasets[0]
    other = study(store, settings=replace(SETTINGS, **change)).datasets[0]  # type: ignore[arg-type]
    a, b = (cell(dataset, "random", "pooled", "pearson") for dataset in (result, other))
    assert a.value == b.value
    assert (a.low, a.high) != (b.low, b.high)


def test_the_order_of_rows_changes_no_statistic(store: ScoreStore) -> None:
    turned = replace(DATA, rows=DATA.rows[::-1])
    first, other = (study(store, data).datasets[0] for data in (DATA, turned))
    assert first.cells == other.cells
    assert first.contrasts == other.contrasts
    assert first.disagreements == other.disagreements


def test_two_data_sets_and_their_names(store: ScoreStore) -> None:
    other = dataset(4, "other", ratings=False, seed=9)
    result = run_study([DATA, other], modelless_scorer(), store, SETTINGS)
    assert [dataset.name for dataset in result.datasets] == ["toy", "other"]
    assert {cell.target for cell in result.datasets[1].cells} == {HUMAN, "fluency"}
    assert (result.seed, result.draws, [metric.name for metric in result.metrics]) == (0, 100, list(METRICS))
    with pytest.raises(ConfigError, match="2 data sets are called 'toy'"):
        run_study([DATA, DATA], modelless_scorer(), store, SETTINGS)
    with pytest.raises(ConfigError, match="at least one data set"):
        run_study([], modelless_scorer(), store, SETTINGS)


def test_one_row_is_enough(store: ScoreStore) -> None:
    result = study(store, replace(DATA, rows=DATA.rows[:1])).datasets[0]
    assert all(cell.value is None and cell.reason for cell in result.cells)
    assert result.disagreements == ()
    assert result.info.deviation == 0.0


def test_settings_are_checked() -> None:
    with pytest.raises(ConfigError, match="unknown metric 'rouge'"):
        StudySettings(metrics=("rouge",))
    with pytest.raises(ConfigError, match="unknown attack 'reorders'"):
        StudySettings(attacks=("reorders",))
    with pytest.raises(ConfigError, match="0 draws"):
        StudySettings(draws=0)
    with pytest.raises(ConfigError, match="no metric"):
        StudySettings(metrics=())
    assert attack_names("none") == ()
    assert attack_names(" reorder, retrieve,reorder") == ("reorder", "retrieve")
    assert attack_names("all") == StudySettings().attacks


def test_sections_alone(store: ScoreStore) -> None:
    """An analysis can be asked for single sections, as a notebook would."""
    work = make_work(DATA, modelless_scorer(), ["rougeL"], (), 0)
    result = Analysis(score_works([work], store)[0], replace(SETTINGS, metrics=("rougeL",)), store)
    assert result.ratios() == []
    assert len(result.rows()) == len(DATA)
