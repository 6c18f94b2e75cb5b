"""`report.html`: one file that asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

from mars_score.report.findings import findings
from mars_score.report.labels import KINDS, is_sentinel, plain
from mars_score.report.palette import DARK, LIGHT, variables
from mars_score.report.printable import one_line, printable, shortened
from mars_score.report.render.html_table import to_html
from mars_score.report.wording import counted, number, percent, typeset_minus

if TYPE_CHECKING:
    from mars_score.report.contents import Section
    from mars_score.study.results import Study


def to_page(study: Study, sections: tuple[Section, ...]) -> str:
    """Return the page. Every text is escaped by the template engine; nothing is marked as safe but our own files."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  (heavy)
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(
        autoescape=True,
        loader=PackageLoader("mars_score.report"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    environment.filters.update(
        html_table=to_html,
        kind=lambda name: plain(name, KINDS),
        one_line=one_line,
        shortened=shortened,
        number=lambda value, decimals: typeset_minus(number(value, decimals)),
        percent=percent,
        counted=counted,
    )
    style = f":root{{{variables(LIGHT)}}}\n{dark_rules()}\n{template_text('report.css')}\n{figure_rules()}"
    script = template_text("report.js")
    return environment.get_template("report.html.j2").render(
        study=study,
        sections=sections,
        findings=findings(study),
        sentinels=[metric.name for metric in study.metrics if is_sentinel(metric)],
        style=Markup(style),
        script=Markup(script),
        style_hash=csp_hash(style),
        script_hash=csp_hash(script),
    )


def dark_rules() -> str:
    """Return the dark colours: for readers whose system is dark, unless they choose otherwise; never on paper."""
    dark = variables(DARK)
    return (
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}"
    )


def figure_rules() -> str:
    """Return how figures look, in terms of the colours' names."""
    return template_text("figure.css")


def template_text(name: str) -> str:
    """Return one of the files that the page is made of."""
    return files("mars_score.report").joinpath("templates").joinpath(name).read_text(encoding="utf-8")


def csp_hash(text: str) -> str:
    """Return the hash by which a browser knows that a style or script is ours."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _finalize(value: object) -> object:
    # Templates print texts of strangers; markup is a string too, and is left as it is.
    return printable(value) if type(value) is str else value
