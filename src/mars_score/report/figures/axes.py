"""Axes: quiet lines, round numbers, a label that names the unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.report.figures.scale import short
from mars_score.report.figures.svg import element, joined, line, text

if TYPE_CHECKING:
    from collections.abc import Callable

    from markupsafe import Markup

    from mars_score.report.figures.scale import Scale


def bottom_axis(
    scale: Scale, y: float, top: float, label: str, *, show: Callable[[float], str] = short
) -> Markup:
    """Draw an axis below a plot, with lines up to its top."""
    parts = [line(scale.start, y, scale.end, y, "axis")]
    for value in scale.ticks():
        x = scale(value)
        parts += [line(x, top, x, y, "grid"), text(x, y + 15, show(value), "tick", "middle")]
    parts.append(text((scale.start + scale.end) / 2, y + 32, label, "soft", "middle"))
    return joined(parts)


def left_axis(scale: Scale, x: float, right: float, label: str) -> Markup:
    """Draw an axis on the left of a plot, with lines to its right end."""
    parts = []
    for value in scale.ticks():
        y = scale(value)
        parts += [line(x, y, right, y, "grid"), text(x - 6, y + 4, short(value), "tick", "end")]
    middle = (scale.start + scale.end) / 2
    turned = f"translate(12 {middle:g}) rotate(-90)"
    parts.append(element("text", label, transform=turned, class_="soft", text_anchor="middle"))
    return joined(parts)
