"""Correlations with their intervals, best first; what the strongest sentinel reaches is a dashed line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.pages.printable import shortened
from mars_score.report.figure import Figure, Panel
from mars_score.report.figures.axes import bottom_axis
from mars_score.report.figures.scale import covering
from mars_score.report.figures.svg import element, joined, line, marked, text
from mars_score.report.labels import LEVELS, REASONS, STATISTICS, plain, sentinels
from mars_score.report.wording import UNDEFINED, number, typeset_minus
from mars_score.study.results import HUMAN

if TYPE_CHECKING:
    from collections.abc import Collection

    from markupsafe import Markup

    from mars_score.report.figures.scale import Scale
    from mars_score.study.results import Cell, DatasetResult, Study

WIDTH, LEFT, RIGHT, TOP, STEP = 360.0, 122.0, 62.0, 40.0, 19.0


def forest(study: Study, statistic: str, level: str) -> Figure | None:
    """Draw one panel a data set, all on one scale; None where nothing was computed."""
    found = [(dataset.name, _cells(dataset, statistic, level)) for dataset in study.datasets]
    known = [cell for _, cells in found for cell in cells if cell.value is not None]
    if not known:
        return None
    ends = [end for cell in known for end in (cell.value, cell.low, cell.high) if end is not None]
    x = covering([0.0, *ends], LEFT, WIDTH - RIGHT, about=4)
    what = f"{plain(statistic, STATISTICS)}, {plain(level, LEVELS)}"
    caption = (
        "Dots are correlations with human ratings, bars their 95% intervals. Hollow dots are sentinels, which know "
        "nothing of quality; the dashed line is the strongest of them."
    )
    panels = tuple(
        _panel(name, cells, x, plain(statistic, STATISTICS), sentinels(study))
        for name, cells in found
        if cells
    )
    return Figure(f"correlations_{statistic}_{level}", f"Agreement with people: {what}", caption, panels)


def _cells(dataset: DatasetResult, statistic: str, level: str) -> list[Cell]:
    wanted = (HUMAN, level, "", statistic)
    cells = [c for c in dataset.cells if (c.target, c.level, c.group, c.statistic) == wanted]
    return sorted(cells, key=lambda cell: (cell.value is None, -(cell.value or 0.0), cell.metric))


def _panel(name: str, cells: list[Cell], x: Scale, axis: str, hollow: Collection[str]) -> Panel:
    bottom = TOP + STEP * len(cells)
    parts = [
        text(0, 14, name, "panel-title"),
        bottom_axis(x, bottom, TOP - 6, axis),
        line(x(0), TOP - 6, x(0), bottom, "axis"),
    ]
    bounds = [cell.value for cell in cells if cell.metric in hollow and cell.value is not None]
    if bounds:
        place = x(max(bounds))
        parts += [
            line(place, TOP - 6, place, bottom, "dashed"),
            text(place, TOP - 10, "strongest sentinel", "tick", "middle"),
        ]
    for position, cell in enumerate(cells):
        parts.append(_row(cell, x, TOP + STEP * (position + 0.5), cell.metric in hollow))
    label = f"{name}: {axis} of {len(cells)} metrics with human ratings; {cells[0].metric} is highest"
    return Panel(label, WIDTH, bottom + 40, joined(parts))


def _row(cell: Cell, x: Scale, y: float, sentinel: bool) -> Markup:
    kind, quiet = ("-plain", "soft") if sentinel else ("", "")
    parts = [
        element("rect", x=0, y=y - STEP / 2, width=WIDTH, height=STEP, class_="hit"),
        text(LEFT - 8, y + 4, shortened(cell.metric, 20), quiet, "end"),
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
