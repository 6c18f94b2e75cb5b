"""What a figure is: panels side by side; as SVG, and as PNG where the extra is installed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from mars_score.io.html import LIGHT
from mars_score.study.report.drawing import element, text

if TYPE_CHECKING:
    from collections.abc import Sequence


# What a figure is: panels that stand side by side where there is room, and below each other where not.

GAP, MARGIN, TITLE, ACROSS = 24, 16, 28, 3


@dataclass(frozen=True, slots=True)
class FigurePanel:
    """One drawing."""

    label: str
    """Says in words what it shows, for those who cannot see it."""
    width: float
    height: float
    body: Markup

    @property
    def svg(self) -> Markup:
        """The drawing for a page, which gives it its colours."""
        return element(
            "svg",
            self.body,
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            width=self.width,
            height=self.height,
            role="img",
            aria_label=self.label,
            class_="panel",
        )


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels with a title, and a name that is also that of its files."""

    name: str
    title: str
    caption: str
    panels: tuple[FigurePanel, ...]


def to_svg_file(figure: Figure, rules: str) -> str:
    """Return the figure as a file of its own: all panels on white, with light colours."""
    lines = [figure.panels[start : start + ACROSS] for start in range(0, len(figure.panels), ACROSS)]
    y: float = MARGIN + TITLE
    placed = []
    for line in lines:
        x: float = MARGIN
        for panel in line:
            placed.append(element("g", panel.body, transform=f"translate({x:g} {y:g})"))
            x += panel.width + GAP
        y += max(panel.height for panel in line) + GAP
    width = max(_width(line) for line in lines)
    height = y - GAP + MARGIN
    content = Markup("").join(
        [
            element("title", figure.title),
            element("style", Markup(colours_filled_in(rules))),
            element("rect", width=width, height=height, class_="paper"),
            text(MARGIN, MARGIN + 14, figure.title, "figure-title"),
            *placed,
        ]
    )
    root = element(
        "svg",
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        class_="panel",
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n'


def colours_filled_in(rules: str) -> str:
    """Put light colours in the place of variables, which programs that draw SVG files rarely know."""
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda found: LIGHT[found.group(1)], rules)


def _width(line: Sequence[FigurePanel]) -> float:
    return 2 * MARGIN + sum(panel.width for panel in line) + GAP * (len(line) - 1)


# Figures as PNG, by a library that is an option: without it, the SVG files are all there is.

ZOOM = 2.0
"""Pixels for each unit of the drawing."""
INSTALL = "pip install 'mars-score[report]'"
PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15" font-family="{}">M</text></svg>'
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def why_no_png() -> str | None:
    """Say why PNG files cannot be made, and what to do; None where they can."""
    try:
        import resvg_py
    except ImportError:
        return f"figures are written as SVG only, PNG needs resvg-py: {INSTALL}"
    empty = resvg_py.svg_to_bytes(svg_string=PROBE.format(FONTS).replace(">M<", "><"))
    if resvg_py.svg_to_bytes(svg_string=PROBE.format(FONTS)) == empty:
        return (
            "figures are written as SVG only, PNG needs a font such as DejaVu Sans or Arial on this machine"
        )
    return None


def to_png(svg: str) -> bytes:
    """Draw an SVG file; asks for what `why_no_png` found to be there."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=ZOOM))
