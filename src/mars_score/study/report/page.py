"""The report: its sections in order, the page, which fetches nothing from elsewhere, and all files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mars_score.errors import OutputError
from mars_score.io.html import assets, environment, template_text
from mars_score.io.output import replacing
from mars_score.study.report import metric_tables
from mars_score.study.report.charts import forest, heat_map, histogram, ratio_curve, scatter
from mars_score.study.report.drawing import Figure, to_png, to_svg_file, why_no_png
from mars_score.study.report.findings import findings
from mars_score.study.report.render import to_csv, to_html, to_latex, to_markdown
from mars_score.study.report.table import Table
from mars_score.study.report.tables import (
    augmentation_means,
    augmentation_tests,
    biases,
    contrasts,
    costs,
    datasets_table,
    disagreements,
    ratio_grid,
    ratios,
    signatures,
    subject,
)
from mars_score.study.report.wording import (
    KINDS,
    STATISTICS,
    counted,
    is_sentinel,
    number,
    percent,
    plain,
    relatives,
    slugs,
    typeset_minus,
)
from mars_score.study.results import PER_RATING, Disagreement, Study


@dataclass(frozen=True, slots=True)
class Examples:
    """Texts on which a metric and people differ, shown one by one."""

    title: str
    rows: tuple[Disagreement, ...]


Content: TypeAlias = Table | Figure | Examples


@dataclass(frozen=True, slots=True)
class ReportBlock:
    """Something that a section shows."""

    content: Content
    folded: bool = False
    """Closed until the reader opens it."""
    in_page: bool = True
    """Otherwise it is only written as files."""

    @property
    def kind(self) -> str:
        """For the template."""
        return type(self.content).__name__


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report."""

    anchor: str
    title: str
    paper: str
    """What it reproduces; empty for what the paper does not have."""
    reading: str
    """How to read it."""
    blocks: tuple[ReportBlock, ...]


def contents(study: Study) -> tuple[Section, ...]:
    """Build all sections that have something to show."""
    names = slugs(dataset.name for dataset in study.datasets)
    sections = (*_on_agreement(study, names), *_on_mars_and_costs(study, names))
    return tuple(section for section in sections if section.blocks)


def _on_agreement(study: Study, names: list[str]) -> tuple[Section, ...]:
    return (
        Section(
            "data", "Data sets", "Table 2 of the paper",
            "What was rated, by how many people, and how well they agree with each other.",
            _blocks([datasets_table(study), histogram(study)]),
        ),
        Section(
            "correlation", "Agreement with people", "Table 3 of the paper, and today's statistics",
            "Each number says how closely a metric follows human ratings: 1 is perfectly, 0 not at all. The level "
            "matters: over all rows, a metric also gains by knowing which system is good; within items it must tell "
            "texts about the same thing apart. Overlapping intervals do not settle whether two metrics differ: the "
            "clusters and tests do.",
            _correlation_blocks(study),
        ),
        Section(
            "scatter", "Scores against people", "Figure 3 of the paper",
            "Marks in the upper left are texts that people like and the metric does not; those in the lower right "
            "the other way round.",
            _blocks(scatter(study, dataset, slug) for dataset, slug in zip(study.datasets, names, strict=True)),
        ),
        Section(
            "judge", "Is the judge any good?", "",
            "Scores from elsewhere (\N{BLACK DIAMOND}), such as those of a language model that judges, held against "
            "people and beside the metrics: how much of the agreement is more than length, whether a cheaper metric "
            "does as well, and what the judge gives for position or for its own system.",
            _judge_blocks(study, names),
        ),
        Section(
            "tests", "Tests between metrics", "",
            "Is one metric really nearer to people than another, or was it luck? Below 0.05 after correction, luck "
            "is an unlikely explanation.",
            _test_blocks(study, names),
        ),
    )  # fmt: skip


def _on_mars_and_costs(study: Study, names: list[str]) -> tuple[Section, ...]:
    return (
        Section(
            "ablations", "What each part of MARS adds", "lower rows of Table 3 of the paper",
            "MARS without planning, without context and without both, with word vectors, and with a masked language "
            "model (naive). The best of these rows is marked.",
            _blocks([metric_tables.per_system(study, only_relatives=True)] if len(relatives(study)) > 1 else []),
        ),
        Section(
            "robustness", "Robustness", "Table 4 of the paper, and more attacks",
            "Each attack spoils texts in a way that people would notice. A good metric scores the spoilt text lower.",
            _robustness_blocks(study, names),
        ),
        Section(
            "ratios", "Masking ratios", "Table 5 of the paper",
            "How far references should be masked before they are filled anew, and how the ratios are weighted (q).",
            _blocks([ratio_curve(study), ratio_grid(study)])
            + _blocks((ratios(d, s) for d, s in zip(study.datasets, names, strict=True)), folded=True),
        ),
        Section(
            "disagreements", "Where metric and people disagree", "Table 6 of the paper",
            "The texts whose places in the two rankings are furthest apart. Open one to see the texts and the "
            "augmented references behind the score; what the language model wrote is highlighted.",
            _example_blocks(study, names),
        ),
        Section(
            "augmentations", "Augmented references, rated by people", "Table 7 of the paper",
            "Whether people find augmented references as relevant, readable and good as the original ones.",
            _blocks([augmentation_means(study.augmentations), augmentation_tests(study.augmentations)])
            if study.augmentations else (),
        ),
        Section(
            "aspects", "Aspects", "",
            "People rated several aspects of a text; a metric may follow one and not another.",
            _folded_after_first(metric_tables.aspects(study, statistic) for statistic in STATISTICS),
        ),
        Section("costs", "Speed", "", "What scoring took on the machine of this study.", _blocks([costs(study)])),
        Section(
            "metrics", "Metrics", "", "How each number came about, to be quoted with it.",
            _blocks([signatures(study)]),
        ),
    )  # fmt: skip


def _blocks(contents: Iterable[Content | None], *, folded: bool = False) -> tuple[ReportBlock, ...]:
    return tuple(
        ReportBlock(content, folded) for content in contents if content is not None and _shows(content)
    )


def _shows(content: Content) -> bool:
    # A table that has lost all its numbers keeps the names of the metrics: one column says nothing.
    return not isinstance(content, Table) or (bool(content.rows) and len(content.columns) > 1)


def _folded_after_first(contents: Iterable[Content | None]) -> tuple[ReportBlock, ...]:
    blocks = _blocks(contents)
    return blocks[:1] + tuple(ReportBlock(block.content, folded=True) for block in blocks[1:])


def _correlation_blocks(study: Study) -> tuple[ReportBlock, ...]:
    figures = [forest(study, "pearson", "pooled"), forest(study, "kendall", "item")]
    first, *others = (metric_tables.by_level(study, statistic) for statistic in STATISTICS)
    singly = (metric_tables.by_level(study, statistic, PER_RATING) for statistic in STATISTICS)
    return (
        _blocks([*figures, first])
        + _blocks([*others], folded=True)
        + _blocks([metric_tables.per_system(study)])
        + _blocks([*singly, metric_tables.left_out(study)], folded=True)
    )


def _judge_blocks(study: Study, names: list[str]) -> tuple[ReportBlock, ...]:
    blocks: tuple[ReportBlock, ...] = ()
    for dataset, slug in zip(study.datasets, names, strict=True):
        given = [result.metric for result in dataset.judges if result.external]
        if given:
            blocks += _blocks([metric_tables.judges(dataset, slug), biases(dataset, slug)])
            tests = (contrasts(dataset, slug, name) for name in given)
            blocks += _blocks([metric_tables.length_bins(dataset, slug), *tests], folded=True)
    return blocks


def _test_blocks(study: Study, names: list[str]) -> tuple[ReportBlock, ...]:
    blocks: list[ReportBlock] = []
    for dataset, slug in zip(study.datasets, names, strict=True):
        if metric := subject(dataset):
            blocks += _blocks([contrasts(dataset, slug, metric)], folded=True)
            blocks.append(ReportBlock(contrasts(dataset, slug), in_page=False))
    return tuple(blocks)


def _robustness_blocks(study: Study, names: list[str]) -> tuple[ReportBlock, ...]:
    if not any(dataset.attacks for dataset in study.datasets):
        return ()
    folded: list[Content] = []
    for dataset, slug in zip(study.datasets, names, strict=True):
        folded += [
            metric_tables.shares(study, dataset, slug),
            metric_tables.shares(study, dataset, slug, upper=True),
            metric_tables.means(dataset, slug),
        ]
    return _blocks([heat_map(study), metric_tables.as_in_the_paper(study)]) + _blocks(folded, folded=True)


def _example_blocks(study: Study, names: list[str]) -> tuple[ReportBlock, ...]:
    blocks: list[ReportBlock] = []
    for dataset, slug in zip(study.datasets, names, strict=True):
        for metric in dict.fromkeys(disagreement.metric for disagreement in dataset.disagreements):
            shown = tuple(
                disagreement for disagreement in dataset.disagreements if disagreement.metric == metric
            )
            blocks.append(ReportBlock(Examples(f"{dataset.name}: {metric}", shown)))
        if dataset.disagreements:
            blocks.append(ReportBlock(disagreements(dataset, slug), in_page=False))
    return tuple(blocks)


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
