"""How people rated: the rows' mean ratings in bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.figure import Figure, Panel
from mars_score.report.figures.axes import bottom_axis, left_axis
from mars_score.report.figures.scale import Scale, covering
from mars_score.report.figures.svg import element, joined, line, marked, text
from mars_score.report.wording import counted, number

if TYPE_CHECKING:
    from mars_score.study.results import DatasetResult, Study

WIDTH, LEFT, RIGHT, TOP, PLOT = 360.0, 52.0, 10.0, 44.0, 140.0


def histogram(study: Study) -> Figure | None:
    """Draw one panel a data set; None without ratings."""
    panels = [panel for dataset in study.datasets if (panel := _panel(dataset))]
    if not panels:
        return None
    caption = "Each bar counts the texts whose mean rating falls between its edges; the line is the mean."
    return Figure("table2_ratings", "How people rated", caption, tuple(panels))


def _panel(dataset: DatasetResult) -> Panel | None:
    info = dataset.info
    edges, counts = info.histogram_edges, info.histogram_counts
    if not counts or len(edges) != len(counts) + 1 or edges[0] >= edges[-1]:
        return None
    bottom = TOP + PLOT
    x = Scale(edges[0], edges[-1], LEFT, WIDTH - RIGHT)
    y = covering([0, *counts], bottom, TOP, about=4)
    parts = [text(LEFT, 14, dataset.name, "panel-title"), left_axis(y, LEFT, WIDTH - RIGHT, "texts")]
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        tip = f"{low:.4g} to {high:.4g}: {counted(count, 'text')}"
        # One pixel of paper between bars.
        left, width = x(low) + 0.5, max(x(high) - x(low) - 1, 0.5)
        bar = element("rect", x=left, y=y(count), width=width, height=bottom - y(count), class_="bar")
        parts.append(marked(tip, bar))
    parts.append(bottom_axis(x, bottom, bottom, "mean rating of a text"))
    if edges[0] <= info.mean <= edges[-1]:
        place = x(info.mean)
        parts.append(line(place, TOP - 6, place, bottom, "dashed"))
        middle = min(max(place, LEFT + 32), WIDTH - RIGHT - 32)
        parts.append(text(middle, TOP - 10, f"mean {number(info.mean, 2)}", "tick", "middle"))
    label = f"{dataset.name}: histogram of {counted(sum(counts), 'mean rating')}, mean {info.mean:.2f}"
    return Panel(label, WIDTH, bottom + 40, joined(parts))
