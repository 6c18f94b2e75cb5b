"""Tables 2, 5, 6 and 7 of the paper, tests between metrics, and what the metrics cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.study.report.findings import TEST
from mars_score.study.report.table import Column, Line, Table, TableCell, mark_best, without_empty_columns
from mars_score.study.report.wording import (
    ALPHA_REASONS,
    KINDS,
    LEVELS,
    MAIN,
    QUESTIONS,
    STATISTICS,
    TESTS,
    VARIANTS,
    percent,
    plain,
    slugs,
)
from mars_score.study.results import HUMAN

if TYPE_CHECKING:
    from mars_score.study.results import AugmentationStudy, Contrast, DatasetResult, RatioPoint, Study


# Table 7: what people think of augmented references.


def augmentation_means(study: AugmentationStudy) -> Table:
    """Build Table 7: the mean rating of each variant."""
    questions = list(dict.fromkeys(rating.question for rating in study.ratings))
    variants = list(dict.fromkeys(rating.variant for rating in study.ratings))
    found = {(rating.question, rating.variant): rating for rating in study.ratings}
    columns = [Column("question")]
    for variant in variants:
        name = plain(variant, VARIANTS)
        columns += [
            Column("mean", "number", 2, name, "from 1 to 7"),
            Column("deviation", "number", 2, name),
            Column("n", "number", 0, name, "ratings"),
        ]
    columns.append(
        Column("Krippendorff's \N{GREEK SMALL LETTER ALPHA}", "number", 3, "", "agreement of the raters")
    )
    rows: list[Line] = []
    for question in questions:
        line = [TableCell(plain(question, QUESTIONS))]
        means = [found[question, v].mean for v in variants if (question, v) in found]
        for variant in variants:
            rating = found.get((question, variant))
            if rating is None:
                line += [TableCell(), TableCell(), TableCell()]
                continue
            best = len(means) > 1 and rating.mean == max(means)
            line += [
                TableCell(value=rating.mean, best=best),
                TableCell(value=rating.deviation),
                TableCell(value=rating.n),
            ]
        alpha = study.alphas.get(question)
        line.append(
            TableCell(
                value=alpha, reason="too few ratings, or all are equal" if question in study.alphas else ""
            )
        )
        rows.append(tuple(line))
    caption = "Ratings from 1 to 7 of references as they are and as augmented. The highest mean is marked."
    return Table(
        "table7_augmentations", "Ratings of augmented references", caption, tuple(columns), tuple(rows)
    )


def augmentation_tests(study: AugmentationStudy) -> Table:
    """Build the tests of Table 7."""
    rows = tuple(
        (
            TableCell(plain(test.question, QUESTIONS)),
            TableCell(plain(test.first, VARIANTS)),
            TableCell(plain(test.second, VARIANTS)),
            TableCell(value=test.difference),
            TableCell(value=test.t, reason="all differences are equal"),
            TableCell(value=test.p, reason="all differences are equal"),
            TableCell(value=test.n),
        )
        for test in study.tests
    )
    columns = (
        Column("question"),
        Column("first"),
        Column("second"),
        Column("difference", "number", 3, explanation="first minus second, in points of 7"),
        Column("t", "number", 2),
        Column("p", "p", explanation="two-sided"),
        Column("pairs", "number", 0),
    )
    return Table("table7_tests", "Paired t-tests", "One row for each pair of variants.", columns, rows)


# Tests between pairs of metrics: is one of them nearer to people?

CONTRAST_COLUMNS = (
    Column("better"),
    Column("worse"),
    Column("target"),
    Column("level"),
    Column("statistic"),
    Column("test"),
    Column("difference", "number", 3, explanation="of the statistic"),
    Column("p", "p", explanation="one-sided"),
    Column("p corrected", "p", explanation="after Holm, over all pairs of metrics"),
)
CONTRAST_CAPTION = (
    "The p-value is the chance of so large a difference, or a larger one, between metrics that are equally near "
    "to people. The corrected one allows for the number of pairs."
)


def contrasts(dataset: DatasetResult, slug: str, only: str | None = None) -> Table:
    """Build the table of all tests of a data set, or of the main ones that one metric is part of."""
    rows = tuple(
        (
            TableCell(contrast.better),
            TableCell(contrast.worse),
            TableCell(contrast.target),
            TableCell(plain(contrast.level, LEVELS)),
            TableCell(plain(contrast.statistic, STATISTICS)),
            TableCell(plain(contrast.test, TESTS)),
            TableCell(value=contrast.difference, reason="a correlation is undefined"),
            TableCell(value=contrast.p, reason="the test does not apply"),
            TableCell(value=contrast.p_corrected, reason="the test does not apply"),
        )
        for contrast in dataset.contrasts
        if only is None or _is_main(contrast, only)
    )
    title = (
        f"{dataset.name}: tests between metrics" if only is None else f"{dataset.name}: {only} against others"
    )
    # No slug has two underscores in a row, so that no data set's name can make two tables one.
    name = "__".join([f"contrasts_{slug}", *slugs([only] if only else [])])
    return Table(name, title, CONTRAST_CAPTION, CONTRAST_COLUMNS, rows)


def _is_main(contrast: Contrast, metric: str) -> bool:
    return metric in (contrast.better, contrast.worse) and (contrast.target, contrast.test) == (HUMAN, TEST)


def subject(dataset: DatasetResult) -> str | None:
    """Return the metric whose tests the page shows: MARS, or else the one that wins most of them."""
    wins: dict[str, int] = {}
    for contrast in dataset.contrasts:
        if MAIN in (contrast.better, contrast.worse):
            return MAIN
        wins[contrast.better] = wins.get(contrast.better, 0) + 1
    return min(wins, key=lambda name: (-wins[name], name)) if wins else None


# Table 2: the data sets and how people rated them.

DATASET_COLUMNS = (
    Column("data set"),
    Column("context", "number", 1, "mean words", "mean length of the contexts"),
    Column("reference", "number", 1, "mean words", "mean length of the references"),
    Column("\N{GREEK CAPITAL LETTER OMEGA}", "number", 1, explanation="length of context over length of reference"),
    Column("rows", "number", 0, "counts", "rated texts"),
    Column("items", "number", 0, "counts", "things that the systems wrote about"),
    Column("systems", "number", 0, "counts"),
    Column("ratings", "number", 0, "counts"),
    Column("raters of a row", group="counts", explanation="fewest to most"),
    Column("left out", "number", 0, "counts", "rows that rate a reference itself"),
    Column("interval", "number", 3, "Krippendorff's \N{GREEK SMALL LETTER ALPHA}", "differences count by their square"),
    Column("ordinal", "number", 3, "Krippendorff's \N{GREEK SMALL LETTER ALPHA}", "only the order counts"),
    Column("mean", "number", 2, "rating"),
    Column("deviation", "number", 2, "rating", "standard deviation of the rows' mean ratings"),
)  # fmt: skip


def datasets_table(study: Study) -> Table:
    """Build Table 2."""
    return Table(
        "table2_datasets",
        "Texts, ratings and agreement",
        "A low \N{GREEK CAPITAL LETTER OMEGA} suggests an open-ended task. Krippendorff's "
        "\N{GREEK SMALL LETTER ALPHA} is the raters' agreement: 1 is perfect, 0 is chance.",
        DATASET_COLUMNS,
        tuple(_dataset_row(dataset) for dataset in study.datasets),
    )


def _dataset_row(dataset: DatasetResult) -> Line:
    info = dataset.info
    fewest, most = info.raters
    no_alpha = plain(info.alpha_reason, ALPHA_REASONS) if info.alpha_reason else "no reason is recorded"
    return (
        TableCell(dataset.name, note=f"content {info.content_hash}; systems: {', '.join(info.systems)}"),
        TableCell(value=info.context_length),
        TableCell(value=info.reference_length),
        TableCell(value=info.omega),
        TableCell(value=info.rows),
        TableCell(value=info.items),
        TableCell(value=len(info.systems)),
        TableCell(value=info.ratings),
        TableCell(str(fewest) if fewest == most else f"{fewest} to {most}"),
        TableCell(value=info.references_left_out),
        TableCell(value=info.alpha_interval, reason=no_alpha),
        TableCell(value=info.alpha_ordinal, reason=no_alpha),
        TableCell(value=info.mean),
        TableCell(value=info.deviation),
    )


# Table 6: the texts on which a metric and people differ most.

DISAGREEMENT_COLUMNS = (
    Column("metric"),
    Column("id"),
    Column("system"),
    Column("kind"),
    Column("score", "number", 3),
    Column("human", "number", 3),
    Column("score", "percent", 0, "rank", "share of rows that the metric scores lower"),
    Column("human", "percent", 0, "rank", "share of rows that people rate lower"),
    Column("context"),
    Column("references"),
    Column("candidate"),
)


def disagreements(dataset: DatasetResult, slug: str) -> Table:
    """Build Table 6 for one data set, for files; the page shows the same texts as cards."""
    rows = tuple(
        (
            TableCell(found.metric),
            TableCell(found.id),
            TableCell(found.system),
            TableCell(", ".join(plain(kind, KINDS) for kind in found.kinds)),
            TableCell(value=found.score),
            TableCell(value=found.human),
            TableCell(value=found.score_rank),
            TableCell(value=found.human_rank),
            TableCell(found.context),
            TableCell(" / ".join(found.references)),
            TableCell(found.candidate),
        )
        for found in dataset.disagreements
    )
    caption = "Ranks are shares of rows below: 0% is the lowest of the data set, 100% the highest."
    return Table(
        f"table6_disagreements_{slug}",
        f"{dataset.name}: largest disagreements",
        caption,
        DISAGREEMENT_COLUMNS,
        rows,
    )


# The metrics of the study: what they are, and what they cost.


def signatures(study: Study) -> Table:
    """Build the table that says how each number came about."""
    rows = tuple(
        (
            TableCell(metric.name),
            TableCell(metric.summary),
            TableCell("higher" if metric.higher_is_better else "lower"),
            TableCell(metric.signature),
        )
        for metric in study.metrics
    )
    columns = (Column("metric"), Column("what it measures"), Column("better is"), Column("signature"))
    caption = "Equal signature and equal text mean equal score. Quote the signature with the number."
    return Table("metrics", "Metrics and their signatures", caption, columns, rows)


def costs(study: Study) -> Table:
    """Build the table of speeds."""
    columns, parts = [Column("metric")], []
    for dataset in study.datasets:
        columns += [
            Column("rows a second", "measure", group=dataset.name),
            Column(
                "\N{MULTIPLICATION SIGN} rougeL",
                "measure",
                3,
                dataset.name,
                "time a row over that of ROUGE-L",
            ),
            Column("seconds", "measure", group=dataset.name),
        ]
        parts.append({cost.metric: cost for cost in dataset.costs})
    rows: list[Line] = []
    for metric in study.metrics:
        line = [TableCell(metric.name)]
        for part in parts:
            cost = part.get(metric.name)
            if cost is None:
                line += [TableCell(), TableCell(), TableCell()]
            else:
                line += [
                    TableCell(value=cost.rows_per_second, note=f"{cost.rows:,} rows"),
                    TableCell(value=cost.ratio_to_rouge, reason="ROUGE-L was not measured"),
                    TableCell(value=cost.seconds),
                ]
        rows.append(tuple(line))
    rows = [row for row in rows if any(entry.value is not None for entry in row[1:])]
    caption = (
        "Time to score the different texts of a data set, models loaded. Metrics share work: what one finds done by "
        "another (augmented references, encodings) costs it nothing, so ablations look cheaper than they are alone."
    )
    return without_empty_columns(Table("costs", "Rows a second", caption, tuple(columns), tuple(rows)))


# Table 5: how far references should be masked.

CONSTANT = "scores or ratings are all equal"
RATIO_CAPTION = (
    "MARS uses the ratios from 0% to \N{GREEK SMALL LETTER LAMDA} max in steps of 20%; 0% is the reference alone. The "
    "best correlation of a data set is marked. It was chosen on these very ratings, so expect a little less on others."
)
RATIO_COLUMNS = (
    Column("\N{GREEK SMALL LETTER LAMDA} max", "percent", 0, explanation="the largest share masked of a reference"),
    Column("q", "number", 2, explanation="how the weights fall with the ratio"),
    Column("Pearson's r", "number", 3, explanation="all rows"),
    Column("Kendall's \N{GREEK SMALL LETTER TAU}-b within items", "number", 3),
    Column("mean \N{GREEK SMALL LETTER SIGMA}", "number", 3, explanation="deviation of a row's cosines"),
)  # fmt: skip


def ratio_grid(study: Study) -> Table:
    """Build Table 5 as the paper prints it: Pearson's r with the ratios across, for each data set and q."""
    lambdas = sorted({point.lambda_max for dataset in study.datasets for point in dataset.ratios})
    rows: list[Line] = []
    for dataset in study.datasets:
        found = {(point.q, point.lambda_max): _correlation(point) for point in dataset.ratios}
        for q in sorted({point.q for point in dataset.ratios}):
            numbers = (found.get((q, ratio), TableCell()) for ratio in lambdas)
            rows.append((TableCell(dataset.name), TableCell(value=q), *numbers))
    columns = (
        Column("data set"),
        RATIO_COLUMNS[1],
        *(
            Column(percent(ratio), "number", 3, "Pearson's r for \N{GREEK SMALL LETTER LAMDA} max of")
            for ratio in lambdas
        ),
    )
    return Table("table5_ratios", "Pearson's r by masking ratio", RATIO_CAPTION, columns, tuple(rows))


def ratios(dataset: DatasetResult, slug: str) -> Table:
    """Build Table 5 for one data set."""
    rows = mark_best((_ratio_row(point) for point in dataset.ratios), 3)
    return Table(
        f"table5_ratios_{slug}", f"{dataset.name}: masking ratios", RATIO_CAPTION, RATIO_COLUMNS, tuple(rows)
    )


def _ratio_row(point: RatioPoint) -> Line:
    return (
        TableCell(value=point.lambda_max),
        TableCell(value=point.q),
        _correlation(point),
        TableCell(value=point.kendall_item, reason=CONSTANT),
        TableCell(value=point.mean_deviation),
    )


def _correlation(point: RatioPoint) -> TableCell:
    best = point.best and point.pearson is not None
    return TableCell(value=point.pearson, low=point.low, high=point.high, best=best, reason=CONSTANT)
