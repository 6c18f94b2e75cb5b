"""The report in order: its sections, what they show, and how to read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mars_score.study.report import correlation_tables, robustness_tables
from mars_score.study.report.charts import forest, heat_map, histogram, ratio_curve, scatter
from mars_score.study.report.figure import Figure
from mars_score.study.report.table import Table
from mars_score.study.report.tables import (
    augmentation_means,
    augmentation_tests,
    contrasts,
    costs,
    datasets_table,
    disagreements,
    ratio_grid,
    ratios,
    signatures,
    subject,
)
from mars_score.study.report.wording import STATISTICS, relatives, slugs
from mars_score.study.results import PER_RATING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mars_score.study.results import Disagreement, Study


@dataclass(frozen=True, slots=True)
class Examples:
    """Texts on which a metric and people differ, shown one by one."""

    title: str
    found: tuple[Disagreement, ...]


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
    sections = (
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
            "tests", "Tests between metrics", "",
            "Is one metric really nearer to people than another, or was it luck? Below 0.05 after correction, luck "
            "is an unlikely explanation.",
            _test_blocks(study, names),
        ),
        Section(
            "ablations", "What each part of MARS adds", "lower rows of Table 3 of the paper",
            "MARS without planning, without context and without both, with word vectors, and with a masked language "
            "model (naive). The best of these rows is marked.",
            _blocks([correlation_tables.per_system(study, only_relatives=True)] if len(relatives(study)) > 1 else []),
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
            _folded_after_first(correlation_tables.aspects(study, statistic) for statistic in STATISTICS),
        ),
        Section("costs", "Speed", "", "What scoring took on the machine of this study.", _blocks([costs(study)])),
        Section(
            "metrics", "Metrics", "", "How each number came about, to be quoted with it.",
            _blocks([signatures(study)]),
        ),
    )  # fmt: skip
    return tuple(section for section in sections if section.blocks)


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
    first, *others = (correlation_tables.by_level(study, statistic) for statistic in STATISTICS)
    singly = (correlation_tables.by_level(study, statistic, PER_RATING) for statistic in STATISTICS)
    return (
        _blocks([*figures, first])
        + _blocks([*others], folded=True)
        + _blocks([correlation_tables.per_system(study)])
        + _blocks([*singly, correlation_tables.left_out(study)], folded=True)
    )


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
            robustness_tables.shares(study, dataset, slug),
            robustness_tables.shares(study, dataset, slug, upper=True),
            robustness_tables.means(dataset, slug),
        ]
    return _blocks([heat_map(study), robustness_tables.as_in_the_paper(study)]) + _blocks(folded, folded=True)


def _example_blocks(study: Study, names: list[str]) -> tuple[ReportBlock, ...]:
    blocks: list[ReportBlock] = []
    for dataset, slug in zip(study.datasets, names, strict=True):
        for metric in dict.fromkeys(found.metric for found in dataset.disagreements):
            shown = tuple(found for found in dataset.disagreements if found.metric == metric)
            blocks.append(ReportBlock(Examples(f"{dataset.name}: {metric}", shown)))
        if dataset.disagreements:
            blocks.append(ReportBlock(disagreements(dataset, slug), in_page=False))
    return tuple(blocks)
