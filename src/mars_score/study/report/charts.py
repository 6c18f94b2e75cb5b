"""The figures: forest plot, heat map of attacks, histogram of ratings, curves of masking ratios, scatter plot."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Sequence
from statistics import StatisticsError, correlation, linear_regression
from typing import TYPE_CHECKING, NamedTuple

from mars_score.io.html import HEAT_STEPS, SYSTEM_COLOURS, shortened
from mars_score.study.report.drawing import (
    Figure,
    FigurePanel,
    Scale,
    bottom_axis,
    covering,
    element,
    joined,
    left_axis,
    line,
    marked,
    path,
    shape,
    text,
    text_width,
)
from mars_score.study.report.wording import (
    LEVELS,
    MAIN,
    REASONS,
    STATISTICS,
    UNDEFINED,
    counted,
    is_harmful,
    number,
    percent,
    plain,
    sentinels,
    typeset_minus,
)

if TYPE_CHECKING:
    from markupsafe import Markup

    from mars_score.study.results import (
        AttackResult,
        Cell,
        DatasetResult,
        MetricInfo,
        RatioPoint,
        Study,
        StudyRow,
    )

WIDTH = 360.0


class Plot(NamedTuple):
    """Where the plot lies within its panel; the bottom is 0 where it depends on the number of rows."""

    left: float
    right: float
    top: float
    bottom: float = 0.0


def _figure(name: str, title: str, caption: str, panels: Sequence[FigurePanel]) -> Figure | None:
    return Figure(name, title, caption, tuple(panels)) if panels else None


FOREST, STEP = Plot(122.0, WIDTH - 62.0, 40.0), 19.0


def forest(study: Study, statistic: str, level: str) -> Figure | None:
    """Draw one panel a data set, all on one scale; None where nothing was computed."""
    cells_by_dataset = [(dataset.name, dataset.human_cells(level, statistic)) for dataset in study.datasets]
    ends = [end for _, cells in cells_by_dataset for cell in cells if cell.value is not None
            for end in (cell.value, cell.low, cell.high) if end is not None]  # fmt: skip
    if not ends:
        return None
    x = covering([0.0, *ends], FOREST.left, FOREST.right, about=4)
    what = f"{plain(statistic, STATISTICS)}, {plain(level, LEVELS)}"
    caption = (
        "Dots are correlations with human ratings, bars their 95% intervals. Hollow dots are sentinels, which know "
        "nothing of quality; the dashed line is the strongest of them."
    )
    panels = tuple(
        _forest_panel(name, cells, x, plain(statistic, STATISTICS), sentinels(study))
        for name, cells in cells_by_dataset
        if cells
    )
    return Figure(f"correlations_{statistic}_{level}", f"Agreement with people: {what}", caption, panels)


def _forest_panel(name: str, cells: list[Cell], x: Scale, axis: str, hollow: Collection[str]) -> FigurePanel:
    cells = sorted(cells, key=lambda cell: (cell.value is None, -(cell.value or 0.0), cell.metric))
    bottom = FOREST.top + STEP * len(cells)
    parts = [
        text(0, 14, name, "panel-title"),
        bottom_axis(x, bottom, FOREST.top - 6, axis),
        line(x(0), FOREST.top - 6, x(0), bottom, "axis"),
    ]
    bounds = [cell.value for cell in cells if cell.metric in hollow and cell.value is not None]
    if bounds:
        bound = x(max(bounds))
        parts.append(line(bound, FOREST.top - 6, bound, bottom, "dashed"))
        parts.append(text(bound, FOREST.top - 10, "strongest sentinel", "tick", "middle"))
    for row, cell in enumerate(cells):
        parts.append(_row(cell, x, FOREST.top + STEP * (row + 0.5), cell.metric in hollow))
    label = f"{name}: {axis} of {len(cells)} metrics with human ratings; {cells[0].metric} is highest"
    return FigurePanel(label, WIDTH, bottom + 40, joined(parts))


def _row(cell: Cell, x: Scale, y: float, sentinel: bool) -> Markup:
    kind, quiet = ("-plain", "soft") if sentinel else ("", "")
    parts = [
        element("rect", x=0, y=y - STEP / 2, width=WIDTH, height=STEP, class_="hit"),
        text(FOREST.left - 8, y + 4, shortened(cell.metric, 20), quiet, "end"),
    ]
    if cell.value is None:
        reason = plain(cell.reason, REASONS) if cell.reason else "no reason is recorded"
        parts.append(text(WIDTH, y + 4, UNDEFINED, "tick", "end"))
        return marked(f"{cell.metric}: undefined, {reason}", *parts)
    tip = f"{cell.metric}: {cell.value:.6g}, n = {cell.n}"
    parts.append(text(WIDTH, y + 4, typeset_minus(number(cell.value, 2)), quiet, "end"))
    if cell.low is not None and cell.high is not None:
        parts.append(line(x(cell.low), y, x(cell.high), y, f"range{kind}"))
        tip += f", 95% interval {cell.low:.6g} to {cell.high:.6g}"
    parts.append(element("circle", cx=x(cell.value), cy=y, r=4, class_=f"dot{kind}"))
    return marked(tip, *parts)


HEAT, CELL_WIDTH, CELL_HEIGHT, MIDDLE, BESIDE = Plot(112.0, 0.0, 104.0), 38.0, 19.0, HEAT_STEPS // 2, 40.0
SURE = 3
"""Steps from the middle at which the colour is so strong that the text on it turns white."""


def heat_map(study: Study) -> Figure | None:
    """Draw one panel a data set; None without attacks."""
    panels = [panel for dataset in study.datasets if (panel := _heat_panel(study, dataset))]
    caption = (
        "The share of texts, in per cent, whose original scores better than the attacked one. Blue is above chance, "
        "grey is chance, orange is worse than chance."
    )
    return _figure("table4_robustness", "Originals preferred to attacked texts", caption, panels)


def _heat_panel(study: Study, dataset: DatasetResult) -> FigurePanel | None:
    attacks = [name for name in dict.fromkeys(r.attack for r in dataset.attacks) if is_harmful(name)]
    results = {(result.metric, result.attack): result for result in dataset.attacks}
    metrics = [m.name for m in study.metrics if any((m.name, attack) in results for attack in attacks)]
    if not metrics:
        return None
    parts = [text(0, 14, dataset.name, "panel-title")]
    for column, attack in enumerate(attacks):
        x = HEAT.left + CELL_WIDTH * (column + 0.5)
        turned = f"translate({x + 4:g} {HEAT.top - 8:g}) rotate(-50)"
        parts.append(element("text", shortened(attack, 16), transform=turned, class_="soft"))
    for row, metric in enumerate(metrics):
        y = HEAT.top + CELL_HEIGHT * row
        parts.append(text(HEAT.left - 8, y + 13.5, shortened(metric, 18), "", "end"))
        for column, attack in enumerate(attacks):
            result = results.get((metric, attack))
            if result is not None:
                parts.append(_cell(result, HEAT.left + CELL_WIDTH * column, y))
    width, height = HEAT.left + CELL_WIDTH * len(attacks) + BESIDE, HEAT.top + CELL_HEIGHT * len(metrics) + 4
    label = (
        f"{dataset.name}: how often {len(metrics)} metrics prefer the original under {len(attacks)} attacks"
    )
    return FigurePanel(label, width, height, joined(parts))


def step(share: float) -> int:
    """Return the colour of a share: the middle one is chance."""
    return max(0, min(HEAT_STEPS - 1, round((share - 0.5) * (HEAT_STEPS - 1)) + MIDDLE))


def _cell(result: AttackResult, x: float, y: float) -> Markup:
    middle = (x + CELL_WIDTH / 2, y + 13.5)
    if result.share is None:
        tip = f"{result.metric}, {result.attack}: undefined, no row was changed"
        return marked(tip, text(*middle, "\N{EN DASH}", "soft", "middle"))
    colour = step(result.share)
    strong = "on-strong-heat" if abs(colour - MIDDLE) >= SURE else "on-heat"
    width, height = CELL_WIDTH - 2, CELL_HEIGHT - 2
    return marked(
        f"{result.metric}, {result.attack}: {percent(result.share, 2)} of {counted(result.rows, 'changed row')}",
        element("rect", x=x + 1, y=y + 1, width=width, height=height, rx=2, class_=f"heat-{colour}"),
        text(*middle, f"{100 * result.share:.0f}", strong, "middle"),
    )


HISTOGRAM = Plot(52.0, WIDTH - 10.0, 44.0, 184.0)


def histogram(study: Study) -> Figure | None:
    """Draw one panel a data set; None without ratings."""
    panels = [panel for dataset in study.datasets if (panel := _histogram_panel(dataset))]
    caption = "Each bar counts the texts whose mean rating falls between its edges; the line is the mean."
    return _figure("table2_ratings", "How people rated", caption, panels)


def _histogram_panel(dataset: DatasetResult) -> FigurePanel | None:
    info = dataset.info
    edges, counts = info.histogram_edges, info.histogram_counts
    if not counts or len(edges) != len(counts) + 1 or edges[0] >= edges[-1]:
        return None
    left, right, top, bottom = HISTOGRAM
    x = Scale(edges[0], edges[-1], left, right)
    y = covering([0, *counts], bottom, top, about=4)
    parts = [text(left, 14, dataset.name, "panel-title"), left_axis(y, left, right, "texts")]
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        tip = f"{low:.4g} to {high:.4g}: {counted(count, 'text')}"
        # One pixel of paper between bars.
        start, width = x(low) + 0.5, max(x(high) - x(low) - 1, 0.5)
        bar = element("rect", x=start, y=y(count), width=width, height=bottom - y(count), class_="bar")
        parts.append(marked(tip, bar))
    parts.append(bottom_axis(x, bottom, bottom, "mean rating of a text"))
    if edges[0] <= info.mean <= edges[-1]:
        mean = x(info.mean)
        parts.append(line(mean, top - 6, mean, bottom, "dashed"))
        middle = min(max(mean, left + 32), right - 32)
        parts.append(text(middle, top - 10, f"mean {number(info.mean, 2)}", "tick", "middle"))
    label = f"{dataset.name}: histogram of {counted(sum(counts), 'mean rating')}, mean {info.mean:.2f}"
    return FigurePanel(label, WIDTH, bottom + 40, joined(parts))


CURVES = Plot(52.0, WIDTH - 52.0, 30.0, 230.0)
APART = 13.0
"""Labels at the right end keep this distance."""


def ratio_curve(study: Study) -> Figure | None:
    """Draw one panel a data set; None without a sweep."""
    panels = [panel for dataset in study.datasets if (panel := _ratio_panel(dataset))]
    caption = (
        "One curve for each q. The one that holds the best point is bold, with its 95% interval as a band; the best "
        "point is ringed."
    )
    return _figure("table5_ratios", "Agreement with people by masking ratio", caption, panels)


def _ratio_panel(dataset: DatasetResult) -> FigurePanel | None:
    points = [(point.pearson, point) for point in dataset.ratios if point.pearson is not None]
    if not points:
        return None
    top_value, best = max(points, key=lambda pair: (pair[0], pair[1].best))
    ends = [r for r, _ in points]
    ends += [end for _, p in points if p.q == best.q for end in (p.low, p.high) if end is not None]
    left, right, top, bottom = CURVES
    x = covering([0.0, *(point.lambda_max for _, point in points)], left, right, about=4)
    y = covering(ends, bottom, top)
    parts = [
        text(left, 14, dataset.name, "panel-title"),
        left_axis(y, left, right, "Pearson's r"),
        bottom_axis(
            x, bottom, top, "\N{GREEK SMALL LETTER LAMDA} max, share of the reference masked", show=percent
        ),
    ]
    labels = []
    for q in sorted({point.q for _, point in points}, key=lambda q: (q == best.q, q)):
        curve = sorted((point.lambda_max, r, point) for r, point in points if point.q == q)
        parts.append(_curve([(point, r) for _, r, point in curve], x, y, bold=q == best.q))
        labels.append((y(curve[-1][1]), f"q = {q:g}", q == best.q))
    parts.append(element("circle", cx=x(best.lambda_max), cy=y(top_value), r=7, class_="best-ring"))
    last = float("-inf")
    for end, content, bold in sorted(labels):
        last = max(end, last + APART)
        parts.append(text(right + 8, last + 4, content, "strong" if bold else "soft"))
    label = f"{dataset.name}: Pearson's r is highest, {top_value:.3f}, at {percent(best.lambda_max)} and q = {best.q:g}"
    return FigurePanel(label, WIDTH, bottom + 40, joined(parts))


def _curve(points: list[tuple[RatioPoint, float]], x: Scale, y: Scale, *, bold: bool) -> Markup:
    kind = "" if bold else "-plain"
    places = [(x(point.lambda_max), y(r)) for point, r in points]
    parts = [path(places, f"curve{kind}")]
    bounds = [(point.lambda_max, point.low, point.high) for point, _ in points]
    if bold and all(low is not None and high is not None for _, low, high in bounds):
        upper = [(x(ratio), y(high)) for ratio, _, high in bounds if high is not None]
        lower = [(x(ratio), y(low)) for ratio, low, _ in bounds if low is not None]
        parts.insert(0, path([*upper, *reversed(lower)], "band", closed=True))
    for (point, r), (px, py) in zip(points, places, strict=True):
        tip = f"{percent(point.lambda_max)}, q = {point.q:g}: r = {r:.6g}"
        if point.low is not None and point.high is not None:
            tip += f", 95% interval {point.low:.6g} to {point.high:.6g}"
        parts.append(marked(tip, element("circle", cx=px, cy=py, r=4 if bold else 3, class_=f"dot{kind}")))
    return joined(parts)


SCATTER = Plot(48.0, WIDTH - 10.0, 46.0, 296.0)
MOST_POINTS = 1000
"""More would make the page heavy and the drawing a blot; the line and r are of all rows."""
USUAL_RIVAL = "bertscore"
"""The paper sets MARS beside it."""


class Fit(NamedTuple):
    """The line of least squares and Pearson's r."""

    slope: float
    intercept: float
    r: float


def scatter(study: Study, dataset: DatasetResult, slug: str) -> Figure | None:
    """Draw two metrics side by side; None without rows."""
    panels = [_scatter_panel(dataset, m) for m in pair(study, dataset) if _points(dataset, m.name)]
    caption = "Each mark is one text. The line is that of least squares over all rows."
    if len(dataset.rows) > MOST_POINTS:
        caption += f" {MOST_POINTS:,} of {len(dataset.rows):,} rows are drawn, chosen by chance."
    return _figure(f"figure3_{slug}", f"{dataset.name}: scores against people", caption, panels)


def pair(study: Study, dataset: DatasetResult) -> list[MetricInfo]:
    """Choose two metrics: the usual rival and MARS, or else those that agree with people most."""
    pooled = {c.metric: c.value for c in dataset.human_cells("pooled", "pearson") if c.value is not None}
    order = sorted(
        study.metrics, key=lambda m: (m.name not in (MAIN, USUAL_RIVAL), -pooled.get(m.name, -2.0), m.name)
    )
    return sorted(order[:2], key=lambda metric: metric.name == MAIN)


def fit(points: Sequence[tuple[float, float]]) -> Fit | None:
    """Fit a line; None where either side is constant."""
    x, y = [x for x, _ in points], [y for _, y in points]
    try:
        return Fit(*linear_regression(x, y), correlation(x, y))
    except StatisticsError:
        return None


def _points(dataset: DatasetResult, metric: str) -> list[tuple[StudyRow, float]]:
    return [
        (row, score)
        for row in dataset.rows
        if (score := row.scores.get(metric)) is not None and math.isfinite(score) and math.isfinite(row.human)
    ]


def _scatter_panel(dataset: DatasetResult, metric: MetricInfo) -> FigurePanel:
    points = _points(dataset, metric.name)
    left, right, top, bottom = SCATTER
    x = covering((score for _, score in points), left, right)
    y = covering((row.human for row, _ in points), bottom, top)
    systems = {system: index for index, system in enumerate(dataset.info.systems)}
    fitted = fit([(score, row.human) for row, score in points])
    direction = "" if metric.higher_is_better else " (lower is better)"
    r = f"r = {typeset_minus(number(fitted.r))}" if fitted else "r is undefined"
    parts = [
        text(left, 14, f"{metric.name}{direction}", "panel-title"),
        text(left, 32, f"{r}, n = {len(points):,}", "soft"),
        left_axis(y, left, right, "human rating"),
        bottom_axis(x, bottom, top, f"{metric.name} score"),
        *(_mark(row, score, x, y, systems.get(row.system, len(systems))) for row, score in _chosen(points)),
    ]
    if fitted:
        parts.append(_line(fitted, x, y))
    key, height = _key(list(systems), bottom + 52)
    label = f"{dataset.name}: {metric.name} against human ratings, {r}"
    return FigurePanel(label, WIDTH, height, joined([*parts, key]))


def _chosen(points: list[tuple[StudyRow, float]]) -> list[tuple[StudyRow, float]]:
    def draw(point: tuple[StudyRow, float]) -> bytes:
        # A hash is a draw that comes out the same every time and for both panels.
        return hashlib.sha256(point[0].id.encode("utf-8", "replace")).digest()

    return points if len(points) <= MOST_POINTS else sorted(points, key=draw)[:MOST_POINTS]


def _mark(row: StudyRow, score: float, x: Scale, y: Scale, system: int) -> Markup:
    drawn = shape(system, x(score), y(row.human), 3.6, f"point system-{system % SYSTEM_COLOURS}")
    return marked(f"{row.system}, {row.id}: score {score:.6g}, human {row.human:.6g}", drawn)


def _line(fitted: Fit, x: Scale, y: Scale) -> Markup:
    ends = [x.low, x.high]
    if fitted.slope:
        # The line stops where it leaves the plot.
        crossings = sorted((value - fitted.intercept) / fitted.slope for value in (y.low, y.high))
        ends = [max(x.low, crossings[0]), min(x.high, crossings[1])]
    first, last = ((x(end), y(fitted.slope * end + fitted.intercept)) for end in ends)
    return line(*first, *last, "fit")


def _key(systems: list[str], top: float) -> tuple[Markup, float]:
    parts, x, y = [], SCATTER.left, top
    for index, system in enumerate(systems):
        name = shortened(system, 28)
        width = 16 + text_width(name) + 10
        if x > SCATTER.left and x + width > WIDTH:
            x, y = SCATTER.left, y + 18
        parts.append(shape(index, x + 5, y - 4, 4.5, f"system-{index % SYSTEM_COLOURS}"))
        parts.append(text(x + 14, y, name, ""))
        x += width
    return joined(parts), y + 8
