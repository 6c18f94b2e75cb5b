"""The report of a study: one page to read, tables to quote and figures to show, all made of its results alone.

- `table.py` is what every table is; `tables/` builds them from a study, `render/` writes them down.
- `figure.py` is what every figure is; `figures/` draws them as SVG.
- `findings.py` says in plain words what was found; `contents.py` puts everything in order.
- `page.py` makes `report.html`; `writing.py` writes all files.
"""

from __future__ import annotations

from mars_score.report.raster import why_no_png
from mars_score.report.writing import write_report

__all__ = ["why_no_png", "write_report"]
