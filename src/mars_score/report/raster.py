"""Figures as PNG, by a library that is an option: without it, the SVG files are all there is."""

from __future__ import annotations

ZOOM = 2.0
"""Pixels for each unit of the drawing."""
INSTALL = "pip install 'mars-score[report]'"
PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15" font-family="{}">M</text></svg>'
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def why_no_png() -> str | None:
    """Say why PNG files cannot be made, and what to do; None where they can."""
    try:
        import resvg_py  # noqa: PLC0415  (an option)
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
    import resvg_py  # noqa: PLC0415  (an option)

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=ZOOM))
