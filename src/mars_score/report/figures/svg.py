"""SVG elements as text. Whatever is not an element is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from mars_score.pages.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    steps = " ".join(f"{'L' if place else 'M'}{_value(x)} {_value(y)}" for place, (x, y) in enumerate(points))
    return element("path", d=steps + ("Z" if closed else ""), class_=class_)


def shape(number: int, x: float, y: float, size: float, class_: str) -> Markup:
    """Return one of five shapes that can be told apart without colour."""
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
