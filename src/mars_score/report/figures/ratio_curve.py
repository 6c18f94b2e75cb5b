"""Correlation against the largest masking ratio: Table 5 as curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.figure import Figure, Panel
from mars_score.report.figures.axes import bottom_axis, left_axis
from mars_score.report.figures.scale import Scale, covering
from mars_score.report.figures.svg import element, joined, marked, path, text
from mars_score.report.wording import percent

if TYPE_CHECKING:
    from markupsafe import Markup

    from mars_score.study.results import DatasetResult, RatioPoint, Study

WIDTH, LEFT, RIGHT, TOP, PLOT = 360.0, 52.0, 52.0, 30.0, 200.0
APART = 13.0
"""Labels at the right end keep this distance."""


def ratio_curve(study: Study) -> Figure | None:
    """Draw one panel a data set; None without a sweep."""
    panels = [panel for dataset in study.datasets if (panel := _panel(dataset))]
    if not panels:
        return None
    caption = (
        "One curve for each q. The one that holds the best point is bold, with its 95% interval as a band; the best "
        "point is ringed."
    )
    return Figure("table5_ratios", "Agreement with people by masking ratio", caption, tuple(panels))


def _panel(dataset: DatasetResult) -> Panel | None:
    known = [(point.pearson, point) for point in dataset.ratios if point.pearson is not None]
    if not known:
        return None
    top_value, best = max(known, key=lambda pair: (pair[0], pair[1].best))
    ends = [r for r, _ in known]
    ends += [end for _, p in known if p.q == best.q for end in (p.low, p.high) if end is not None]
    bottom = TOP + PLOT
    x = covering([0.0, *(point.lambda_max for _, point in known)], LEFT, WIDTH - RIGHT, about=4)
    y = covering(ends, bottom, TOP)
    parts = [
        text(LEFT, 14, dataset.name, "panel-title"),
        left_axis(y, LEFT, WIDTH - RIGHT, "Pearson's r"),
        bottom_axis(
            x, bottom, TOP, "\N{GREEK SMALL LETTER LAMDA} max, share of the reference masked", show=percent
        ),
    ]
    labels = []
    for q in sorted({point.q for _, point in known}, key=lambda q: (q == best.q, q)):
        curve = sorted((point.lambda_max, r, point) for r, point in known if point.q == q)
        parts.append(_curve([(point, r) for _, r, point in curve], x, y, bold=q == best.q))
        labels.append((y(curve[-1][1]), f"q = {q:g}", q == best.q))
    parts.append(element("circle", cx=x(best.lambda_max), cy=y(top_value), r=7, class_="best-ring"))
    parts += _labels(labels)
    label = f"{dataset.name}: Pearson's r is highest, {top_value:.3f}, at {percent(best.lambda_max)} and q = {best.q:g}"
    return Panel(label, WIDTH, bottom + 40, joined(parts))


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


def _labels(labels: list[tuple[float, str, bool]]) -> list[Markup]:
    parts, last = [], float("-inf")
    for y, content, bold in sorted(labels):
        last = max(y, last + APART)
        parts.append(text(WIDTH - RIGHT + 8, last + 4, content, "strong" if bold else "soft"))
    return parts
