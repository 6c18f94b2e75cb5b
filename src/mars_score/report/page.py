"""`report.html`: one file that asks nobody for anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.pages.page import assets, environment, template_text
from mars_score.report.findings import findings
from mars_score.report.labels import KINDS, is_sentinel, plain
from mars_score.report.render.html_table import to_html
from mars_score.report.wording import counted, number, percent, typeset_minus

if TYPE_CHECKING:
    from mars_score.report.contents import Section
    from mars_score.study.results import Study

HERE = "mars_score.report"


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
