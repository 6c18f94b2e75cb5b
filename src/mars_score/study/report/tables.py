"""Tables 2, 5, 6 and 7 of the paper, tests between metrics, and what the metrics cost."""

from __future__ import annotations

from dataclasses import replace

from mars_score.study.report.findings import TEST
from mars_score.study.report.table import (
    Column,
    Line,
    Shown,
    Table,
    TableCell,
    line,
    listing,
    mark_best,
    without_empty_columns,
)
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
from mars_score.study.results import (
    HUMAN,
    AugmentationStudy,
    Contrast,
    DatasetInfo,
    DatasetResult,
    RatioPoint,
    Study,
)

ALPHA = "Krippendorff's \N{GREEK SMALL LETTER ALPHA}"
OMEGA = "\N{GREEK CAPITAL LETTER OMEGA}"
LAMBDA = "\N{GREEK SMALL LETTER LAMDA}"


def augmentation_means(study: AugmentationStudy) -> Table:
    """Build Table 7: the mean rating of each variant."""
    questions = list(dict.fromkeys(rating.question for rating in study.ratings))
    variants = list(dict.fromkeys(rating.variant for rating in study.ratings))
    ratings = {(rating.question, rating.variant): rating for rating in study.ratings}
    columns = [Column("question")]
    for variant in variants:
        name = plain(variant, VARIANTS)
        columns += [
            Column("mean", "number", 2, name, "from 1 to 7"),
            Column("deviation", "number", 2, name),
            Column("n", "number", 0, name, "ratings"),
        ]
    columns.append(Column(ALPHA, "number", 3, "", "agreement of the raters"))
    rows: list[Line] = []
    for question in questions:
        cells: list[Shown] = [plain(question, QUESTIONS)]
        means = [ratings[question, v].mean for v in variants if (question, v) in ratings]
        for variant in variants:
            rating = ratings.get((question, variant))
            if rating is None:
                cells += [None, None, None]
                continue
            best = len(means) > 1 and rating.mean == max(means)
            cells += [TableCell(value=rating.mean, best=best), rating.deviation, rating.n]
        no_alpha = "too few ratings, or all are equal" if question in study.alphas else ""
        rows.append(line(*cells, TableCell(value=study.alphas.get(question), reason=no_alpha)))
    caption = "Ratings from 1 to 7 of references as they are and as augmented. The highest mean is marked."
    return Table(
        "table7_augmentations", "Ratings of augmented references", caption, tuple(columns), tuple(rows)
    )


def augmentation_tests(study: AugmentationStudy) -> Table:
    """Build the tests of Table 7."""
    equal = "all differences are equal"
    return listing(
        "table7_tests", "Paired t-tests", "One row for each pair of variants.", study.tests,
        (Column("question"), lambda test: plain(test.question, QUESTIONS)),
        (Column("first"), lambda test: plain(test.first, VARIANTS)),
        (Column("second"), lambda test: plain(test.second, VARIANTS)),
        (
            Column("difference", "number", 3, explanation="first minus second, in points of 7"),
            lambda test: test.difference,
        ),
        (Column("t", "number", 2), lambda test: TableCell(value=test.t, reason=equal)),
        (Column("p", "p", explanation="two-sided"), lambda test: TableCell(value=test.p, reason=equal)),
        (Column("pairs", "number", 0), lambda test: test.n),
    )  # fmt: skip


CONTRAST_CAPTION = (
    "The p-value is the chance of so large a difference, or a larger one, between metrics that are equally near "
    "to people. The corrected one allows for the number of pairs."
)


def contrasts(dataset: DatasetResult, slug: str, only: str | None = None) -> Table:
    """Build the table of all tests of a data set, or of the main ones that one metric is part of."""
    title = "tests between metrics" if only is None else f"{only} against others"
    # No slug has two underscores in a row, so that no data set's name can make two tables one.
    name = "__".join([f"contrasts_{slug}", *slugs([only] if only else [])])
    tests = [contrast for contrast in dataset.contrasts if only is None or _is_main(contrast, only)]
    not_tested = "the test does not apply"
    return listing(
        name, f"{dataset.name}: {title}", CONTRAST_CAPTION, tests,
        (Column("better"), lambda test: test.better),
        (Column("worse"), lambda test: test.worse),
        (Column("target"), lambda test: test.target),
        (Column("level"), lambda test: plain(test.level, LEVELS)),
        (Column("statistic"), lambda test: plain(test.statistic, STATISTICS)),
        (Column("test"), lambda test: plain(test.test, TESTS)),
        (
            Column("difference", "number", 3, explanation="of the statistic"),
            lambda test: TableCell(value=test.difference, reason="a correlation is undefined"),
        ),
        (Column("p", "p", explanation="one-sided"), lambda test: TableCell(value=test.p, reason=not_tested)),
        (
            Column("p corrected", "p", explanation="after Holm, over all pairs of metrics"),
            lambda test: TableCell(value=test.p_corrected, reason=not_tested),
        ),
    )  # fmt: skip


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


def biases(dataset: DatasetResult, slug: str) -> Table:
    """Build the table of what a judge gives beyond what people give."""
    return listing(
        f"judges_bias_{slug}", f"{dataset.name}: biases of the judge",
        "How much higher a judge scores texts in a position, or of its own system, than other texts that people rate "
        "alike, in standard deviations of its scores. An interval without 0 shows a bias.",
        [(result.metric, bias) for result in dataset.judges for bias in result.biases],
        (Column("judge"), lambda of: of[0]),
        (Column("bias"), lambda of: of[1].kind),
        (Column("for"), lambda of: of[1].name),
        (
            Column("effect", "number", 2),
            lambda of: TableCell(value=of[1].effect, low=of[1].low, high=of[1].high, reason=CONSTANT),
        ),
        (Column("judgements", "number", 0, explanation="in that position, or of that system"), lambda of: of[1].marked),
        (Column("of", "number", 0), lambda of: of[1].n),
    )  # fmt: skip


# Table 2: the data sets and how people rated them.


def datasets_table(study: Study) -> Table:
    """Build Table 2."""
    infos = [(dataset.name, dataset.info) for dataset in study.datasets]
    return listing(
        "table2_datasets",
        "Texts, ratings and agreement",
        f"A low {OMEGA} suggests an open-ended task. {ALPHA} is the raters' agreement: 1 is perfect, 0 is chance.",
        infos,
        (Column("data set"), lambda of: TableCell(of[0], note=_content(of[1]))),
        (Column("context", "number", 1, "mean words", "mean length of the contexts"), lambda of: of[1].context_length),
        (
            Column("reference", "number", 1, "mean words", "mean length of the references"),
            lambda of: of[1].reference_length,
        ),
        (
            Column(OMEGA, "number", 1, explanation="length of context over length of reference"),
            lambda of: of[1].omega,
        ),
        (Column("rows", "number", 0, "counts", "rated texts"), lambda of: of[1].rows),
        (Column("items", "number", 0, "counts", "things that the systems wrote about"), lambda of: of[1].items),
        (Column("systems", "number", 0, "counts"), lambda of: len(of[1].systems)),
        (Column("ratings", "number", 0, "counts"), lambda of: of[1].ratings),
        (
            Column("raters of a row", group="counts", explanation="fewest to most"),
            lambda of: " to ".join(map(str, dict.fromkeys(of[1].raters))),
        ),
        (
            Column("left out", "number", 0, "counts", "rows that rate a reference itself"),
            lambda of: of[1].references_left_out,
        ),
        (
            Column("interval", "number", 3, ALPHA, "differences count by their square"),
            lambda of: _alpha(of[1], of[1].alpha_interval),
        ),
        (
            Column("ordinal", "number", 3, ALPHA, "only the order counts"),
            lambda of: _alpha(of[1], of[1].alpha_ordinal),
        ),
        (Column("mean", "number", 2, "rating"), lambda of: of[1].mean),
        (
            Column("deviation", "number", 2, "rating", "standard deviation of the rows' mean ratings"),
            lambda of: of[1].deviation,
        ),
    )  # fmt: skip


def _content(info: DatasetInfo) -> str:
    return f"content {info.content_hash}; systems: {', '.join(info.systems)}"


def _alpha(info: DatasetInfo, value: float | None) -> TableCell:
    reason = plain(info.alpha_reason, ALPHA_REASONS) if info.alpha_reason else "no reason is recorded"
    return TableCell(value=value, reason=reason)


def disagreements(dataset: DatasetResult, slug: str) -> Table:
    """Build Table 6 for one data set, for files; the page shows the same texts as cards."""
    return listing(
        f"table6_disagreements_{slug}",
        f"{dataset.name}: largest disagreements",
        "Ranks are shares of rows below: 0% is the lowest of the data set, 100% the highest.",
        dataset.disagreements,
        (Column("metric"), lambda row: row.metric),
        (Column("id"), lambda row: row.id),
        (Column("system"), lambda row: row.system),
        (Column("kind"), lambda row: ", ".join(plain(kind, KINDS) for kind in row.kinds)),
        (Column("score", "number", 3), lambda row: row.score),
        (Column("human", "number", 3), lambda row: row.human),
        (
            Column("score", "percent", 0, "rank", "share of rows that the metric scores lower"),
            lambda row: row.score_rank,
        ),
        (Column("human", "percent", 0, "rank", "share of rows that people rate lower"), lambda row: row.human_rank),
        (Column("context"), lambda row: row.context),
        (Column("references"), lambda row: " / ".join(row.references)),
        (Column("candidate"), lambda row: row.candidate),
    )  # fmt: skip


def signatures(study: Study) -> Table:
    """Build the table that says how each number came about."""
    return listing(
        "metrics",
        "Metrics and their signatures",
        "Equal signature and equal text mean equal score. Quote the signature with the number.",
        study.metrics,
        (Column("metric"), lambda metric: metric.name),
        (Column("what it measures"), lambda metric: metric.summary),
        (Column("better is"), lambda metric: "higher" if metric.higher_is_better else "lower"),
        (Column("signature"), lambda metric: metric.signature),
    )


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
        cells: list[Shown] = [metric.name]
        for part in parts:
            cost = part.get(metric.name)
            if cost is None:
                cells += [None, None, None]
                continue
            a_second = TableCell(value=cost.rows_per_second, note=f"{cost.rows:,} rows")
            ratio = TableCell(value=cost.ratio_to_rouge, reason="ROUGE-L was not measured")
            cells += [a_second, ratio, cost.seconds]
        rows.append(line(*cells))
    rows = [row for row in rows if any(entry.value is not None for entry in row[1:])]
    caption = (
        "Time to score the different texts of a data set, models loaded. Metrics share work: what one finds done by "
        "another (augmented references, encodings) costs it nothing, so ablations look cheaper than they are alone."
    )
    return without_empty_columns(Table("costs", "Rows a second", caption, tuple(columns), tuple(rows)))


# Table 5: how far references should be masked.

CONSTANT = "scores or ratings are all equal"
RATIO_CAPTION = (
    f"MARS uses the ratios from 0% to {LAMBDA} max in steps of 20%; 0% is the reference alone. The "
    "best correlation of a data set is marked. It was chosen on these very ratings, so expect a little less on others."
)
Q = Column("q", "number", 2, explanation="how the weights fall with the ratio")


def ratio_grid(study: Study) -> Table:
    """Build Table 5 as the paper prints it: Pearson's r with the ratios across, for each data set and q."""
    lambdas = sorted({point.lambda_max for dataset in study.datasets for point in dataset.ratios})
    rows: list[Line] = []
    for dataset in study.datasets:
        points = {(point.q, point.lambda_max): _correlation(point) for point in dataset.ratios}
        for q in sorted({point.q for point in dataset.ratios}):
            numbers = (points.get((q, ratio), TableCell()) for ratio in lambdas)
            rows.append((TableCell(dataset.name), TableCell(value=q), *numbers))
    columns = (
        Column("data set"),
        Q,
        *(Column(percent(ratio), "number", 3, f"Pearson's r for {LAMBDA} max of") for ratio in lambdas),
    )
    return Table("table5_ratios", "Pearson's r by masking ratio", RATIO_CAPTION, columns, tuple(rows))


def ratios(dataset: DatasetResult, slug: str) -> Table:
    """Build Table 5 for one data set."""
    table = listing(
        f"table5_ratios_{slug}", f"{dataset.name}: masking ratios", RATIO_CAPTION, dataset.ratios,
        (
            Column(f"{LAMBDA} max", "percent", 0, explanation="the largest share masked of a reference"),
            lambda point: point.lambda_max,
        ),
        (Q, lambda point: point.q),
        (Column("Pearson's r", "number", 3, explanation="all rows"), _correlation),
        (
            Column("Kendall's \N{GREEK SMALL LETTER TAU}-b within items", "number", 3),
            lambda point: TableCell(value=point.kendall_item, reason=CONSTANT),
        ),
        (
            Column("mean \N{GREEK SMALL LETTER SIGMA}", "number", 3, explanation="deviation of a row's cosines"),
            lambda point: point.mean_deviation,
        ),
    )  # fmt: skip
    return replace(table, rows=tuple(mark_best(table.rows, 3)))


def _correlation(point: RatioPoint) -> TableCell:
    best = point.best and point.pearson is not None
    return TableCell(value=point.pearson, low=point.low, high=point.high, best=best, reason=CONSTANT)
