"""All files of a report; `report.html` is one file that fetches nothing from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.errors import OutputError
from mars_score.io.html import assets, environment, template_text
from mars_score.io.output import replacing
from mars_score.study.report.contents import contents
from mars_score.study.report.figure import Figure, to_png, to_svg_file, why_no_png
from mars_score.study.report.findings import findings
from mars_score.study.report.render import to_csv, to_html, to_latex, to_markdown
from mars_score.study.report.table import Table
from mars_score.study.report.wording import KINDS, counted, is_sentinel, number, percent, plain, typeset_minus

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.study.report.contents import Section
    from mars_score.study.results import Study


# `report.html`: one file that asks nobody for anything.

HERE = "mars_score.study.report"


def to_page(study: Study, sections: tuple[Section, ...]) -> str:
    """Return the page."""
    made = environment(HERE)
    made.filters.update(
        html_table=to_html,
        kind=lambda name: plain(name, KINDS),
        number=lambda value, decimals: typeset_minus(number(value, decimals)),
        percent=percent,
        counted=counted,
    )
    return made.get_template("report.html.j2").render(
        study=study,
        sections=sections,
        findings=findings(study),
        sentinels=[metric.name for metric in study.metrics if is_sentinel(metric)],
        assets=assets(HERE, "report.css", "figure.css", "report.js"),
    )


def figure_rules() -> str:
    """Return how figures look, in terms of the colours' names."""
    return template_text(HERE, "figure.css")


# All files of a report.

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
