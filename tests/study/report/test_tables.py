"""The tables of the paper, built from results."""

from __future__ import annotations

from dataclasses import replace

from mars_score.study.report import metric_tables
from mars_score.study.report.page import ReportBlock, contents
from mars_score.study.report.table import Table, TableCell
from mars_score.study.report.tables import (
    augmentation_means,
    augmentation_tests,
    contrasts,
    costs,
    datasets_table,
    disagreements,
    ratio_grid,
    ratios,
    subject,
)
from mars_score.study.results import (
    HUMAN,
    AttackResult,
    AugmentationRating,
    AugmentationStudy,
    Cell,
    Contrast,
    Cost,
    DatasetResult,
    MetricRank,
    RatioPoint,
)
from tests.study.report.sample import CANDIDATE, sample_study
from tests.study.report.small import INFO, small_study


def cell(metric: str, value: float | None, level: str = "pooled", group: str = "", **more: object) -> Cell:
    given: dict[str, object] = {"low": None, "high": None, "n": 4, "left_out": 0, "undefined": {}, **more}
    return Cell(metric, HUMAN, level, group, "pearson", value, **given)  # type: ignore[arg-type]


def column(table: Table, title: str) -> dict[str, TableCell]:
    position = [column.title for column in table.columns].index(title)
    return {row[0].text: row[position] for row in table.rows}


def test_table_2_has_every_data_set_and_says_why_alpha_is_missing() -> None:
    table = datasets_table(small_study(DatasetResult("d", INFO)))
    assert column(table, "rows")["d"].value == 4
    assert column(table, "raters of a row")["d"].text == "2"
    assert column(table, "interval")["d"].reason == "all ratings are equal"
    assert column(table, "ordinal")["d"].value == 0.5


def test_table_3_has_a_column_for_each_system() -> None:
    table = metric_tables.per_system(sample_study())
    assert [(group, span) for group, span in table.groups] == [
        ("", 1),
        ("stories", 3),
        ("summaries", 4),
        ("answers", 3),
    ]
    assert len(table.rows) == 12
    assert all(sum(row[index].best for row in table.rows) == 1 for index in range(1, len(table.columns)))


def test_cells_carry_interval_cluster_and_counts() -> None:
    dataset = DatasetResult(
        "d",
        INFO,
        cells=(
            cell("mars", 0.4, low=0.3, high=0.5, left_out=1),
            cell("bertscore", 0.2),
            cell("mars", 0.1, "item", undefined={"human_constant": 2}),
        ),
        places=(MetricRank(HUMAN, "pooled", "pearson", "mars", 0.4, 1, 1),),
    )
    table = metric_tables.by_level(small_study(dataset), "pearson")
    first = column(table, "all rows")["mars"]
    assert (first.value, first.low, first.high, first.cluster, first.best) == (0.4, 0.3, 0.5, 1, True)
    assert first.note == "n = 4; 1 row without a score"
    assert column(table, "all rows")["bertscore"].cluster is None
    within = column(table, "within items")["mars"]
    assert within.note == "n = 4; groups without a correlation: the human ratings are all equal: 2"
    assert [c.title for c in table.columns] == ["metric", "all rows", "within items"]


def test_an_undefined_number_says_why_and_a_missing_one_does_not() -> None:
    dataset = DatasetResult("d", INFO, cells=(cell("mars", None, reason="metric_constant"),))
    result = column(metric_tables.by_level(small_study(dataset), "pearson"), "all rows")
    assert (result["mars"].value, result["mars"].reason) == (None, "the metric's scores are all equal")
    assert (result["bertscore"].value, result["bertscore"].reason) == (None, "")


def test_ablations_are_the_same_numbers_with_a_best_of_their_own() -> None:
    study = sample_study()
    every, some = (
        metric_tables.per_system(study),
        metric_tables.per_system(study, only_relatives=True),
    )
    assert [row[0].text for row in some.rows] == [
        "mars",
        "mars_no_plan",
        "mars_no_context",
        "mars_glove",
        "naive",
    ]
    kept = {row[0].text: row for row in every.rows}
    for row in some.rows:
        assert [entry.value for entry in row] == [entry.value for entry in kept[row[0].text]]


def test_left_out_counts_once_for_metrics_alike() -> None:
    gaps = {"human_constant": 2}
    cells = [
        cell(metric, 0.1, "item", undefined=gaps) for metric in ("mars", "bertscore", "candidate_length")
    ]
    table = metric_tables.left_out(small_study(DatasetResult("d", INFO, cells=tuple(cells))))
    assert [[entry.text for entry in row if entry.text] for row in table.rows] == [
        ["d", "human", "within items", "Pearson's r", "all", "the human ratings are all equal: 2"]
    ]


def test_aspects_have_a_heading_each() -> None:
    table = metric_tables.aspects(sample_study(), "pearson")
    assert [group for group, _ in table.groups] == ["", "summaries: coherence", "summaries: fluency"]


def attack(
    metric: str, name: str, before: float | None, after: float | None, share: float | None
) -> AttackResult:
    rows = 0 if share is None else 10
    return AttackResult(metric, name, rows, 2, 0.5, 0.4, share, share, rows, before, after)


def test_table_4_marks_falls_rises_and_none() -> None:
    dataset = DatasetResult(
        "d",
        INFO,
        cells=(cell("mars", 0.4), cell("bertscore", 0.3)),
        attacks=(
            attack("mars", "reorder", 0.4, 0.1, 0.9),
            attack("bertscore", "reorder", 0.3, 0.3, 0.5),
            attack("mars", "retrieve", 0.4, 0.5, 0.4),
            attack("bertscore", "retrieve", None, None, None),
        ),
    )
    table = metric_tables.as_in_the_paper(small_study(dataset))
    assert [c.title for c in table.columns] == ["metric", "reorder (Δ)", "retrieve (Δ)", "ref."]
    reorder, retrieve, ref = (column(table, c.title) for c in table.columns[1:])
    assert (reorder["mars"].mark, round(reorder["mars"].value or 0, 9), reorder["mars"].best) == (
        "▼",
        -0.3,
        True,
    )
    assert (reorder["bertscore"].mark, reorder["bertscore"].value) == ("=", 0.0)
    assert retrieve["mars"].mark == "▲"
    assert retrieve["bertscore"].reason == "the attack changes no row that has a score"
    assert (ref["mars"].value, ref["mars"].best) == (0.4, True)
    assert [row[0].text for row in table.rows] == ["mars", "bertscore"]


def test_no_share_is_best_where_the_attack_is_a_ceiling() -> None:
    attacks = [
        attack(metric, "copy_reference", 0.1, 0.1, share)
        for metric, share in (("mars", 0.1), ("bertscore", 0.2))
    ]
    dataset = DatasetResult("d", INFO, attacks=tuple(attacks))
    table = metric_tables.shares(small_study(dataset), dataset, "d")
    assert not any(entry.best for row in table.rows for entry in row)
    assert "copy_reference is no harm but a ceiling" in table.caption


def test_table_5_marks_what_the_study_calls_best() -> None:
    points = (
        RatioPoint(0.0, 1.0, 0.3, 0.2, 0.4, 0.1, None, False),
        RatioPoint(0.2, 1.0, 0.4, 0.3, 0.5, 0.2, 0.03, True),
    )
    table = ratios(DatasetResult("d", INFO, ratios=points), "d")
    assert [row[2].best for row in table.rows] == [False, True]
    assert table.rows[0][4] == TableCell()


def test_table_5_has_ratios_across_and_one_best_for_each_data_set() -> None:
    table = ratio_grid(sample_study())
    assert [column.title for column in table.columns] == ["data set", "q", "0%", "20%", "40%", "60%", "80%"]
    assert [(row[0].text, row[1].value) for row in table.rows][:4] == [
        ("stories", 0.5),
        ("stories", 1.0),
        ("stories", 2.0),
        ("summaries", 0.5),
    ]
    best = [(row[0].text, index) for row in table.rows for index, entry in enumerate(row) if entry.best]
    assert best == [("stories", 5), ("summaries", 4), ("answers", 3)]


def test_table_6_has_the_texts_in_full() -> None:
    table = disagreements(sample_study().datasets[0], "stories")
    assert column(table, "candidate")["mars"].text == CANDIDATE
    assert {row[3].text for row in table.rows} == {
        "out of vocabulary",
        "copied from the context, further inference",
        "",
    }


def test_table_7_has_means_best_and_alpha() -> None:
    study = AugmentationStudy(
        (
            AugmentationRating("overall", "original", 5.0, 1.0, 9),
            AugmentationRating("overall", "mars", 5.5, 1.0, 9),
        ),
        (),
        {"overall": None},
    )
    (row,) = augmentation_means(study).rows
    assert [entry.value for entry in row[1:]] == [5.0, 1.0, 9, 5.5, 1.0, 9, None]
    assert [entry.best for entry in row] == [False, False, False, False, True, False, False, False]
    assert row[-1].reason == "too few ratings, or all are equal"
    assert augmentation_tests(study).rows == ()


def test_tests_of_one_metric_and_of_all() -> None:
    pairs = [
        Contrast(HUMAN, "pooled", "pearson", "perm-both", *pair, 0.1, 0.01, 0.03)
        for pair in (("a", "mars"), ("a", "b"))
    ]
    dataset = DatasetResult("d", INFO, contrasts=tuple(pairs))
    assert subject(dataset) == "mars"
    assert len(contrasts(dataset, "d").rows) == 2
    assert [row[1].text for row in contrasts(dataset, "d", "mars").rows] == ["mars"]
    other = replace(
        dataset, contrasts=(replace(pairs[0], test="williams"), replace(pairs[0], target="fluency"))
    )
    assert (len(contrasts(other, "d").rows), len(contrasts(other, "d", "mars").rows)) == (2, 0)
    assert subject(DatasetResult("d", INFO, contrasts=(pairs[1],))) == "a"
    assert subject(DatasetResult("d", INFO)) is None


def test_costs_say_when_there_is_nothing_to_compare_with() -> None:
    table = costs(small_study(DatasetResult("d", INFO, costs=(Cost("mars", 4, 2.0, 2.0, None),))))
    assert [row[0].text for row in table.rows] == ["mars"]
    assert column(table, "\N{MULTIPLICATION SIGN} rougeL")["mars"].reason == "ROUGE-L was not measured"


def test_empty_parts_make_no_section() -> None:
    anchors = [section.anchor for section in contents(small_study(DatasetResult("d", INFO)))]
    assert anchors == ["data", "metrics"]


def test_names_of_files_are_unique() -> None:
    study = sample_study()
    # Names that only differ in signs, and one that looks like a part of another table's name.
    names = ("d", "D!", "d mars")
    study = replace(
        study, datasets=tuple(replace(d, name=n) for d, n in zip(study.datasets, names, strict=True))
    )
    blocks: list[ReportBlock] = [block for section in contents(study) for block in section.blocks]
    tables = [block.content.name for block in blocks if isinstance(block.content, Table)]
    assert len(tables) == len(set(tables))
