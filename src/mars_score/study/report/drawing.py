"""SVG by hand: escaped elements, scales and axes; figures as SVG, and as PNG where the extra is installed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from mars_score.io.html import LIGHT, printable


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight-line map from values to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Return round values within the scale."""
        step = _step(self.high - self.low, about)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(tick * step, 10) for tick in range(first, last + 1)]


def covering(values: Iterable[float], start: float, end: float, *, about: int = 5) -> Scale:
    """Return a scale from a round value below all values to a round one above."""
    covered = list(values) or [0.0, 1.0]
    low, high = min(covered), max(covered)
    if low == high:
        low, high = low - 0.5, high + 0.5
    step = _step(high - low, about)
    return Scale(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, start, end)


def short(value: float) -> str:
    """Return a value as a tick's label."""
    return f"{value:.6g}".replace("-", "\N{MINUS SIGN}")


def _step(width: float, about: int) -> float:
    rough = width / about
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))


# SVG elements as text. Whatever is not an element is escaped.

SHAPES = 5


def element(tag: str, content: str = "", /, **attributes: str | float) -> Markup:
    """Return an element; ``class_`` and ``text_anchor`` stand for ``class`` and ``text-anchor``."""
    written = "".join(
        f' {_attribute(name)}="{_value(value)}"' for name, value in attributes.items() if value != ""
    )
    inner = content if isinstance(content, Markup) else escape(printable(content))
    return Markup(f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>")


def text(x: float, y: float, content: str, class_: str = "", anchor: str = "") -> Markup:
    """Return a text at a point."""
    return element("text", content, x=x, y=y, class_=class_, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Return a line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def marked(tip: str, *parts: Markup) -> Markup:
    """Group what tells more when the pointer rests on it."""
    return element("g", joined([element("title", tip), *parts]), class_="mark")


def joined(parts: Sequence[Markup]) -> Markup:
    """Put elements after each other."""
    return Markup("").join(parts)


def path(points: Sequence[tuple[float, float]], class_: str, *, closed: bool = False) -> Markup:
    """Return a line through points."""
    steps = " ".join(f"{'L' if index else 'M'}{_value(x)} {_value(y)}" for index, (x, y) in enumerate(points))
    return element("path", d=steps + ("Z" if closed else ""), class_=class_)


def shape(number: int, x: float, y: float, size: float, class_: str) -> Markup:
    """Return one of five shapes that differ without colour."""
    s, h = size, 0.9 * size
    outlines: tuple[list[tuple[float, float]], ...] = (
        [],
        [(x, y - 1.2 * s), (x + 1.1 * s, y + 0.8 * s), (x - 1.1 * s, y + 0.8 * s)],
        [(x - h, y - h), (x + h, y - h), (x + h, y + h), (x - h, y + h)],
        [(x, y - 1.25 * s), (x + 1.25 * s, y), (x, y + 1.25 * s), (x - 1.25 * s, y)],
        [(x - 1.1 * s, y - 0.8 * s), (x + 1.1 * s, y - 0.8 * s), (x, y + 1.2 * s)],
    )  # fmt: skip
    outline = outlines[number % SHAPES]
    if not outline:
        return element("circle", cx=x, cy=y, r=s, class_=class_)
    return path(outline, class_, closed=True)


def text_width(content: str, size: float = 12) -> float:
    """Estimate how wide a text is; a little too much rather than too little."""
    return 0.6 * size * len(content)


def _attribute(name: str) -> str:
    return name if name == "viewBox" else name.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    if isinstance(value, str):
        return str(escape(printable(value)))
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


# Axes: quiet lines, round numbers, a label that names the unit.


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
    """Replace variables by light colours: few programs that draw SVG files know variables."""
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda match: LIGHT[match.group(1)], rules)


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
