"""Figures: the numbers behind them, and that any of them is well-formed."""

from __future__ import annotations

import itertools
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.io.html import DARK, LIGHT
from mars_score.study.report.charts import APART, MOST_POINTS, fit, heat_map, pair, ratio_curve, scatter, step
from mars_score.study.report.drawing import (
    Figure,
    Scale,
    covering,
    element,
    text,
    to_png,
    to_svg_file,
    why_no_png,
)
from mars_score.study.report.page import contents, figure_rules
from mars_score.study.results import DatasetResult, StudyRow
from tests.study.report.sample import sample_study
from tests.study.report.small import INFO, LENGTH, MARS, RIVAL, small_study

SVG = "{http://www.w3.org/2000/svg}"


def figures() -> list[Figure]:
    sections = contents(sample_study())
    return [b.content for section in sections for b in section.blocks if isinstance(b.content, Figure)]


def rows(count: int, score: float | None = None) -> tuple[StudyRow, ...]:
    return tuple(
        StudyRow(
            f"r{n}",
            f"i{n}",
            "ab"[n % 2],
            float(n % 5),
            {},
            {"mars": score if score is not None else n / 7},
            (),
        )
        for n in range(count)
    )


def test_every_kind_is_drawn() -> None:
    assert [figure.name for figure in figures()] == [
        "table2_ratings",
        "correlations_pearson_pooled",
        "correlations_kendall_item",
        "figure3_stories",
        "figure3_summaries",
        "figure3_answers",
        "table4_robustness",
        "table5_ratios",
    ]


def test_files_are_well_formed_and_have_no_variables() -> None:
    for figure in figures():
        svg = to_svg_file(figure, figure_rules())
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert "var(" not in svg
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        for node in root.iter(f"{SVG}text"):
            if node.get("x"):
                assert -1 <= float(node.get("x", 0)) <= width
                assert -1 <= float(node.get("y", 0)) <= height


def test_all_classes_have_a_rule_and_all_colours_a_value() -> None:
    rules = figure_rules()
    for figure in figures():
        for panel in figure.panels:
            for node in ElementTree.fromstring(f"<svg>{panel.body}</svg>").iter():
                for name in node.get("class", "").split():
                    assert name == "mark" or f".{name} " in rules, name
    assert LIGHT.keys() == DARK.keys()


def test_least_squares_as_numpy_has_it() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=50)
    y = 0.4 * x + random.normal(size=50)
    result = fit(list(zip(x.tolist(), y.tolist(), strict=True)))
    assert result is not None
    slope, intercept = np.polyfit(x, y, 1)
    assert (result.slope, result.intercept) == pytest.approx((slope, intercept))
    assert result.r == pytest.approx(np.corrcoef(x, y)[0, 1])


@pytest.mark.parametrize("points", [[], [(1.0, 1.0)], [(1.0, 2.0), (1.0, 3.0)], [(1.0, 2.0), (2.0, 2.0)]])
def test_no_line_through_what_has_none(points: list[tuple[float, float]]) -> None:
    assert fit(points) is None


def test_constant_scores_are_drawn_without_a_line() -> None:
    dataset = DatasetResult("d", INFO, rows=rows(6, score=0.5))
    figure = scatter(small_study(dataset), dataset, "d")
    assert figure is not None
    assert "r is undefined" in figure.panels[0].body
    assert 'class="fit"' not in figure.panels[0].body


def test_figure_3_sets_mars_beside_bertscore() -> None:
    study = sample_study()
    assert [metric.name for metric in pair(study, study.datasets[0])] == ["bertscore", "mars"]
    empty = DatasetResult("d", INFO)
    assert [metric.name for metric in pair(small_study(empty, LENGTH, MARS), empty)] == [
        "candidate_length",
        "mars",
    ]
    assert [metric.name for metric in pair(small_study(empty, RIVAL), empty)] == ["bertscore"]


def test_many_points_are_thinned_and_it_is_said() -> None:
    dataset = DatasetResult("d", INFO, rows=rows(MOST_POINTS + 1))
    figure = scatter(small_study(dataset), dataset, "d")
    assert figure is not None
    assert figure.panels[0].body.count('class="mark"') == MOST_POINTS
    assert "1,000 of 1,001 rows are drawn" in figure.caption
    assert f"n = {MOST_POINTS + 1:,}" in figure.panels[0].body


def test_every_point_tells_its_row() -> None:
    study = sample_study()
    figure = scatter(study, study.datasets[0], "stories")
    assert figure is not None
    row = study.datasets[0].rows[0]
    assert (
        f"{row.system}, {row.id}: score {row.scores['mars']:.6g}, human {row.human:.6g}"
        in figure.panels[1].body
    )


def test_nothing_to_draw() -> None:
    study = small_study(DatasetResult("d", INFO))
    assert scatter(study, study.datasets[0], "d") is None
    assert heat_map(study) is None
    assert ratio_curve(study) is None


def test_labels_of_curves_keep_apart() -> None:
    figure = ratio_curve(sample_study())
    assert figure is not None
    for panel in figure.panels:
        result = ElementTree.fromstring(f"<svg>{panel.body}</svg>").iter("text")
        places = sorted(float(label.get("y", 0)) for label in result if (label.text or "").startswith("q ="))
        assert len(places) == 3
        assert all(b - a >= APART - 0.02 for a, b in itertools.pairwise(places))


@pytest.mark.parametrize(("share", "colour"), [(0.0, 0), (0.5, 4), (1.0, 8), (0.56, 4), (0.57, 5), (0.44, 4)])
def test_colours_of_shares(share: float, colour: int) -> None:
    assert step(share) == colour


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_scales_cover_their_values(values: list[float]) -> None:
    scale = covering(values, 0.0, 100.0)
    assert all(-1e-6 <= scale(value) <= 100 + 1e-6 for value in values)
    assert 2 <= len(scale.ticks()) <= 14


def test_ticks_are_round() -> None:
    assert Scale(0.0, 1.0, 0, 10).ticks() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert Scale(-0.13, 0.31, 0, 10).ticks() == [-0.1, 0.0, 0.1, 0.2, 0.3]


def test_texts_are_escaped() -> None:
    assert (
        str(text(1, 2, "</text><script>", 'a"b'))
        == '<text x="1" y="2" class="a&#34;b">&lt;/text&gt;&lt;script&gt;</text>'
    )
    assert (
        str(element("g", text_anchor="end", viewBox="0 0 1 1")) == '<g text-anchor="end" viewBox="0 0 1 1"/>'
    )


def test_png_has_two_pixels_a_unit() -> None:
    assert why_no_png() is None
    svg = to_svg_file(figures()[0], figure_rules())
    png = to_png(svg)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(png[start : start + 4], "big") for start in (16, 20))
    root = ElementTree.fromstring(svg)
    assert (width, height) == (2 * int(root.get("width", 0)), 2 * int(root.get("height", 0)))


def test_without_the_library_the_reason_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert (
        why_no_png()
        == "figures are written as SVG only, PNG needs resvg-py: pip install 'mars-score[report]'"
    )


def test_labels_of_rows_are_not_cut_off() -> None:
    for figure in figures():
        for panel in figure.panels:
            for node in ElementTree.fromstring(f"<svg>{panel.body}</svg>").iter("text"):
                if node.get("text-anchor") == "end":
                    assert float(node.get("x", 0)) >= 5 * len(node.text or ""), f"{figure.name}: {node.text}"
