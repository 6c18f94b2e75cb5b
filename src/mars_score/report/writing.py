"""All files of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.errors import OutputError
from mars_score.files.replacing import replacing
from mars_score.report.contents import contents
from mars_score.report.figure import Figure, to_svg_file
from mars_score.report.page import figure_rules, to_page
from mars_score.report.raster import to_png, why_no_png
from mars_score.report.render.csv_file import to_csv
from mars_score.report.render.latex import to_latex
from mars_score.report.render.markdown import to_markdown
from mars_score.report.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.study.results import Study

FORMATS = {"md": to_markdown, "csv": to_csv, "tex": to_latex}


def write_report(study: Study, folder: Path) -> None:
    """Write ``report.html``, ``tables/`` and ``figures/`` into a folder.

    PNG files are left out where `why_no_png` has a reason. Equal studies give equal files.
    """
    try:
        _write(study, folder)
    except OSError as error:
        raise OutputError(
            f"{error.filename or folder}: cannot be written: {error.strerror}\n"
            "  remedy: choose a folder that you may write to, on a disk with room"
        ) from error


def _write(study: Study, folder: Path) -> None:
    sections = contents(study)
    tables, figures = folder / "tables", folder / "figures"
    tables.mkdir(parents=True, exist_ok=True)
    figures.mkdir(exist_ok=True)
    rules, png = figure_rules(), why_no_png() is None
    for section in sections:
        for block in section.blocks:
            if isinstance(block.content, Table):
                for ending, render in FORMATS.items():
                    _save(tables / f"{block.content.name}.{ending}", render(block.content))
            elif isinstance(block.content, Figure):
                svg = to_svg_file(block.content, rules)
                _save(figures / f"{block.content.name}.svg", svg)
                if png:
                    _save(figures / f"{block.content.name}.png", to_png(svg))
    _save(folder / "report.html", to_page(study, sections))


def _save(path: Path, content: str | bytes) -> None:
    # Half of a surrogate pair, which JSON may hold, has no bytes of its own.
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    with replacing(path) as temporary:
        temporary.write_bytes(raw)
