"""Figure 3: a metric against people, coloured by system, with the straight line that fits best."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.io.html import SYSTEM_COLOURS, shortened
from mars_score.study.report.drawing import (
    Scale,
    bottom_axis,
    covering,
    joined,
    left_axis,
    line,
    marked,
    shape,
    text,
    text_width,
)
from mars_score.study.report.figure import Figure, Panel
from mars_score.study.report.wording import MAIN, number, typeset_minus
from mars_score.study.results import HUMAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from mars_score.study.results import DatasetResult, MetricInfo, Row, Study

WIDTH, LEFT, RIGHT, TOP, PLOT = 360.0, 48.0, 10.0, 46.0, 250.0
MOST_POINTS = 1000
"""More would make the page heavy and the drawing a blot; the line and r are of all rows."""
USUAL_RIVAL = "bertscore"
"""The paper sets MARS beside it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The line of least squares and Pearson's r."""

    slope: float
    intercept: float
    r: float


def scatter(study: Study, dataset: DatasetResult, slug: str) -> Figure | None:
    """Draw two metrics side by side; None without rows."""
    metrics = pair(study, dataset)
    panels = [_panel(dataset, metric) for metric in metrics if _points(dataset, metric.name)]
    if not panels:
        return None
    caption = "Each mark is one text. The line is that of least squares over all rows."
    if len(dataset.rows) > MOST_POINTS:
        caption += f" {MOST_POINTS:,} of {len(dataset.rows):,} rows are drawn, chosen by chance."
    return Figure(f"figure3_{slug}", f"{dataset.name}: scores against people", caption, tuple(panels))


def pair(study: Study, dataset: DatasetResult) -> list[MetricInfo]:
    """Choose two metrics: the usual rival and MARS, or else those that agree with people most."""
    pooled = {
        cell.metric: cell.value
        for cell in dataset.cells
        if (cell.target, cell.level, cell.group, cell.statistic) == (HUMAN, "pooled", "", "pearson")
        and cell.value is not None
    }
    order = sorted(
        study.metrics, key=lambda m: (m.name not in (MAIN, USUAL_RIVAL), -pooled.get(m.name, -2.0), m.name)
    )
    return sorted(order[:2], key=lambda metric: metric.name == MAIN)


def fit(points: Sequence[tuple[float, float]]) -> Fit | None:
    """Fit a line; None where either side is constant."""
    count = len(points)
    if count < 2:
        return None
    mean_x = math.fsum(x for x, _ in points) / count
    mean_y = math.fsum(y for _, y in points) / count
    xx = math.fsum((x - mean_x) ** 2 for x, _ in points)
    yy = math.fsum((y - mean_y) ** 2 for _, y in points)
    xy = math.fsum((x - mean_x) * (y - mean_y) for x, y in points)
    if xx <= 0 or yy <= 0:
        return None
    slope = xy / xx
    return Fit(slope, mean_y - slope * mean_x, xy / math.sqrt(xx * yy))


def _points(dataset: DatasetResult, metric: str) -> list[tuple[Row, float]]:
    return [
        (row, score)
        for row in dataset.rows
        if (score := row.scores.get(metric)) is not None and math.isfinite(score) and math.isfinite(row.human)
    ]


def _panel(dataset: DatasetResult, metric: MetricInfo) -> Panel:
    points = _points(dataset, metric.name)
    bottom = TOP + PLOT
    x = covering((score for _, score in points), LEFT, WIDTH - RIGHT)
    y = covering((row.human for row, _ in points), bottom, TOP)
    systems = {system: place for place, system in enumerate(dataset.info.systems)}
    fitted = fit([(score, row.human) for row, score in points])
    direction = "" if metric.higher_is_better else " (lower is better)"
    r = f"r = {typeset_minus(number(fitted.r))}" if fitted else "r is undefined"
    parts = [
        text(LEFT, 14, f"{metric.name}{direction}", "panel-title"),
        text(LEFT, 32, f"{r}, n = {len(points):,}", "soft"),
        left_axis(y, LEFT, WIDTH - RIGHT, "human rating"),
        bottom_axis(x, bottom, TOP, f"{metric.name} score"),
        *(_mark(row, score, x, y, systems.get(row.system, len(systems))) for row, score in _chosen(points)),
    ]
    if fitted:
        parts.append(_line(fitted, x, y))
    key, height = _key(list(systems), bottom + 52)
    label = f"{dataset.name}: {metric.name} against human ratings, {r}"
    return Panel(label, WIDTH, height, joined([*parts, key]))


def _chosen(points: list[tuple[Row, float]]) -> list[tuple[Row, float]]:
    if len(points) <= MOST_POINTS:
        return points
    return sorted(points, key=lambda point: _draw(point[0].id))[:MOST_POINTS]


def _draw(id: str) -> bytes:
    # A hash is a draw that comes out the same every time and for both panels.
    return hashlib.sha256(id.encode("utf-8", "replace")).digest()


def _mark(row: Row, score: float, x: Scale, y: Scale, system: int) -> Markup:
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
    parts, x, y = [], LEFT, top
    for place, system in enumerate(systems):
        name = shortened(system, 28)
        width = 16 + text_width(name) + 10
        if x > LEFT and x + width > WIDTH:
            x, y = LEFT, y + 18
        parts += [
            shape(place, x + 5, y - 4, 4.5, f"system-{place % SYSTEM_COLOURS}"),
            text(x + 14, y, name, ""),
        ]
        x += width
    return joined(parts), y + 8
