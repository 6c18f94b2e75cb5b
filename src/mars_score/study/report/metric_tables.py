"""Tables 3 and 4: metrics down, and across data sets with correlations, or attacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mars_score.study.report.table import (
    Column,
    Line,
    Table,
    TableCell,
    line,
    listing,
    mark_best,
    without_empty_columns,
)
from mars_score.study.report.wording import (
    LEVEL_MEANINGS,
    LEVELS,
    REASONS,
    STATISTIC_MEANINGS,
    STATISTICS,
    attack_meaning,
    counted,
    is_harmful,
    plain,
    relatives,
)
from mars_score.study.results import HUMAN, PER_RATING, AttackResult, Cell, DatasetResult, LengthBin, Study

ORIENTED = "Positive numbers mean agreement, also of metrics for which lower is better."
INTERVALS = "Brackets hold 95% intervals by bootstrap over items."
CLUSTERS = (
    "c1 is the first cluster of significance: none of its metrics was shown to be worse than another of them."
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cells a column shows."""

    dataset: int
    """Its place in the study."""
    target: str
    level: str
    system: str
    statistic: str
    column: Column


def per_system(study: Study, *, statistic: str = "pearson", only_relatives: bool = False) -> Table:
    """Build Table 3 as the paper prints it, a column for each system; or only its rows of MARS and variants."""
    wanted = [
        Wanted(index, HUMAN, "system", system, statistic, Column(system, "number", 3, dataset.name))
        for index, dataset in enumerate(study.datasets)
        for system in dataset.info.systems
    ]
    metrics = relatives(study) if only_relatives else [metric.name for metric in study.metrics]
    name = plain(statistic, STATISTICS)
    return _table(
        study,
        f"table3_{'ablations' if only_relatives else 'systems'}_{statistic}",
        f"MARS and its variants: {name} for each system" if only_relatives else f"{name} for each system",
        f"{name} of each metric with human ratings among the texts of one system. {ORIENTED} {INTERVALS}",
        wanted,
        metrics,
    )


def by_level(study: Study, statistic: str, target: str = HUMAN) -> Table:
    """Build the table of one statistic: a column for each data set and level."""
    wanted = [
        Wanted(
            index,
            target,
            level,
            "",
            statistic,
            Column(title, "number", 3, dataset.name, LEVEL_MEANINGS[level]),
        )
        for index, dataset in enumerate(study.datasets)
        for level, title in LEVELS.items()
    ]
    name = plain(statistic, STATISTICS)
    single = target == PER_RATING
    return _table(
        study,
        f"table3_{'ratings' if single else 'levels'}_{statistic}",
        f"{name[:1].upper()}{name[1:]}{', every rating for itself' if single else ''}",
        f"The statistic tells {STATISTIC_MEANINGS[statistic]}. {ORIENTED} {INTERVALS} {CLUSTERS}",
        wanted,
        [metric.name for metric in study.metrics],
    )


def aspects(study: Study, statistic: str) -> Table:
    """Build the table of the aspects that people rated: over all rows, and within items."""
    wanted = [
        Wanted(
            index,
            aspect,
            level,
            "",
            statistic,
            Column(LEVELS[level], "number", 3, f"{dataset.name}: {aspect}", LEVEL_MEANINGS[level]),
        )
        for index, dataset in enumerate(study.datasets)
        for aspect in sorted({cell.target for cell in dataset.cells} - {HUMAN, PER_RATING})
        for level in ("pooled", "item")
    ]
    name = plain(statistic, STATISTICS)
    return _table(
        study,
        f"aspects_{statistic}",
        f"Aspects: {name}",
        f"{name} with the ratings of one aspect at a time. {ORIENTED}",
        wanted,
        [metric.name for metric in study.metrics],
    )


def left_out(study: Study) -> Table:
    """Build the table of what the correlations above could not use; metrics alike share a row."""
    alike: dict[tuple[str, str, str, str, int, int, str], list[str]] = {}
    for dataset in study.datasets:
        for cell in dataset.cells:
            if not cell.group and (cell.left_out or cell.undefined or cell.value is None):
                why = _undefined_groups(cell) or (plain(cell.reason, REASONS) if cell.reason else "")
                key = (dataset.name, cell.target, cell.level, cell.statistic, cell.n, cell.left_out, why)
                alike.setdefault(key, []).append(cell.metric)
    return listing(
        "table3_left_out",
        "What was left out",
        "Groups without a correlation are not part of the means above; here they are counted.",
        alike.items(),
        (Column("data set"), lambda of: of[0][0]),
        (Column("target"), lambda of: of[0][1]),
        (Column("level"), lambda of: plain(of[0][2], LEVELS)),
        (Column("statistic"), lambda of: plain(of[0][3], STATISTICS)),
        (Column("metrics"), lambda of: ", ".join(of[1]) if len(of[1]) < len(study.metrics) else "all"),
        (Column("used", "number", 0, explanation="rows, systems or items behind the number"), lambda of: of[0][4]),
        (Column("rows without a score", "number", 0), lambda of: of[0][5]),
        (Column("undefined", explanation="groups that have no correlation, by reason"), lambda of: of[0][6]),
    )  # fmt: skip


def _table(
    study: Study, name: str, title: str, caption: str, wanted: Sequence[Wanted], metrics: Iterable[str]
) -> Table:
    cells = [{_key(cell): cell for cell in dataset.cells} for dataset in study.datasets]
    clusters = [_clusters(dataset) for dataset in study.datasets]
    rows: list[Line] = []
    for metric in metrics:
        line = [TableCell(metric)]
        for want in wanted:
            key = (metric, want.target, want.level, want.system, want.statistic)
            entry = _entry(cells[want.dataset].get(key))
            line.append(replace(entry, cluster=None if want.system else clusters[want.dataset].get(key)))
        rows.append(tuple(line))
    for column in range(1, len(wanted) + 1):
        rows = mark_best(rows, column)
    columns = (Column("metric"), *(want.column for want in wanted))
    return without_empty_columns(Table(name, title, caption, columns, tuple(rows)))


def _key(cell: Cell) -> tuple[str, str, str, str, str]:
    return (cell.metric, cell.target, cell.level, cell.group, cell.statistic)


def _clusters(dataset: DatasetResult) -> dict[tuple[str, str, str, str, str], int | None]:
    return {(p.metric, p.target, p.level, "", p.statistic): p.cluster for p in dataset.places}


def _entry(cell: Cell | None) -> TableCell:
    if cell is None:
        return TableCell()
    reason = plain(cell.reason, REASONS) if cell.reason else "no reason is recorded"
    notes = [f"n = {cell.n}"]
    if cell.left_out:
        notes.append(f"{counted(cell.left_out, 'row')} without a score")
    if cell.undefined:
        notes.append(f"groups without a correlation: {_undefined_groups(cell)}")
    return TableCell(value=cell.value, low=cell.low, high=cell.high, note="; ".join(notes), reason=reason)


def _undefined_groups(cell: Cell) -> str:
    return ", ".join(f"{plain(reason, REASONS)}: {count}" for reason, count in sorted(cell.undefined.items()))


PAPER_ATTACKS = ("reorder", "retrieve")
DOWN, UP, SAME = "\N{BLACK DOWN-POINTING TRIANGLE}", "\N{BLACK UP-POINTING TRIANGLE}", "="
NO_ROW = "the attack changes no row that has a score"
CONSTANT = "scores or ratings are all equal"


def as_in_the_paper(study: Study) -> Table:
    """Build Table 4 as the paper prints it: the change of Pearson's r under two attacks."""
    columns, parts = [Column("metric")], []
    for dataset in study.datasets:
        for attack in PAPER_ATTACKS:
            title = f"{attack} (\N{GREEK CAPITAL LETTER DELTA})"
            columns.append(Column(title, "number", 3, dataset.name, attack_meaning(attack)))
            parts.append(
                {result.metric: _change(result) for result in dataset.attacks if result.attack == attack}
            )
        columns.append(Column("ref.", "number", 3, dataset.name, "Pearson's r without an attack, all rows"))
        parts.append(_unattacked(dataset))
    rows: list[Line] = [
        (TableCell(metric.name), *(part.get(metric.name, TableCell()) for part in parts))
        for metric in study.metrics
    ]
    rows = [row for row in rows if any(entry.value is not None or entry.reason for entry in row[1:])]
    for column in range(1, len(columns)):
        rows = mark_best(rows, column, max if columns[column].title == "ref." else min)
    caption = (
        f"\N{GREEK CAPITAL LETTER DELTA} is the change of Pearson's r with the ratings of the original texts. It "
        f"should fall ({DOWN}); a metric whose correlation stays ({SAME}) or rises ({UP}) did not notice the attack. "
        "The largest fall of a column is marked."
    )
    return without_empty_columns(
        Table(
            "table4_robustness_pearson",
            "Change of Pearson's r under attack",
            caption,
            tuple(columns),
            tuple(rows),
        )
    )


def shares(study: Study, dataset: DatasetResult, slug: str, *, upper: bool = False) -> Table:
    """Build the table of how often a metric prefers the original; optionally among well-rated texts."""
    attacks = list(dict.fromkeys(result.attack for result in dataset.attacks))
    results = {(result.metric, result.attack): _share(result, upper) for result in dataset.attacks}
    rows: list[Line] = [
        (TableCell(metric.name), *(results.get((metric.name, attack), TableCell()) for attack in attacks))
        for metric in study.metrics
        if any((metric.name, attack) in results for attack in attacks)
    ]
    for column, attack in enumerate(attacks, 1):
        if is_harmful(attack):
            rows = mark_best(rows, column)
    columns = (
        Column("metric"),
        *(Column(attack, "percent", 0, "", attack_meaning(attack)) for attack in attacks),
    )
    sampled = (
        f" At most {study.attack_rows} rows were attacked, drawn by whole items." if study.attack_rows else ""
    )
    of_what = "texts that people rated in the upper half" if upper else "texts"
    ceilings = [attack for attack in attacks if not is_harmful(attack)]
    caption = (
        f"The share of {of_what} whose original scores better than the attacked one; a tie counts half, so 50% is "
        f"chance.{sampled}"
    )
    if ceilings:
        caption += f" {', '.join(ceilings)} is no harm but a ceiling: a low share is right there."
    return Table(
        f"table4_{'upper_' if upper else ''}shares_{slug}",
        f"{dataset.name}: original preferred{', well-rated texts' if upper else ''}",
        caption,
        columns,
        tuple(rows),
    )


def means(dataset: DatasetResult, slug: str) -> Table:
    """Build the table of everything else that was measured under attack, one row a metric and attack."""

    def number_or_reason(value: float | None, result: AttackResult) -> TableCell:
        return TableCell(value=value, reason=CONSTANT if result.rows else NO_ROW)

    unchanged = "the attack does not apply to them; they are not counted"
    return listing(
        f"table4_details_{slug}",
        f"{dataset.name}: every attack in full",
        "Only rows that the attack changes are counted. Mean scores are the metric's own numbers; shares and "
        "correlations count what is better, also where lower is better.",
        dataset.attacks,
        (Column("metric"), lambda of: of.metric),
        (Column("attack"), lambda of: TableCell(of.attack, note=attack_meaning(of.attack))),
        (Column("changed", "number", 0, "rows"), lambda of: of.rows),
        (Column("unchanged", "number", 0, "rows", unchanged), lambda of: of.not_applicable),
        (Column("before", "number", 4, "mean score"), lambda of: TableCell(value=of.mean_before, reason=NO_ROW)),
        (Column("after", "number", 4, "mean score"), lambda of: TableCell(value=of.mean_after, reason=NO_ROW)),
        (Column("all", "percent", 1, "original preferred"), lambda of: TableCell(value=of.share, reason=NO_ROW)),
        (
            Column("well-rated", "percent", 1, "original preferred"),
            lambda of: TableCell(value=of.upper_share, reason=NO_ROW),
        ),
        (Column("before", "number", 3, "Pearson's r"), lambda of: number_or_reason(of.pearson_before, of)),
        (Column("after", "number", 3, "Pearson's r"), lambda of: number_or_reason(of.pearson_after, of)),
    )  # fmt: skip


def _change(result: AttackResult) -> TableCell:
    before, after = result.pearson_before, result.pearson_after
    if before is None or after is None:
        return TableCell(reason=CONSTANT if result.rows else NO_ROW)
    change = after - before
    mark = DOWN if change < 0 else UP if change > 0 else SAME
    note = f"{before:.4f} before, {after:.4f} after; {counted(result.rows, 'changed row')}"
    return TableCell(value=change, mark=mark, note=note)


def _unattacked(dataset: DatasetResult) -> dict[str, TableCell]:
    attacked = {result.metric for result in dataset.attacks}
    return {
        cell.metric: TableCell(value=cell.value, reason=CONSTANT)
        for cell in dataset.human_cells("pooled", "pearson")
        if cell.metric in attacked
    }


def _share(result: AttackResult, upper: bool) -> TableCell:
    rows = result.upper_rows if upper else result.rows
    note = f"{counted(rows, 'changed row')}, {counted(result.not_applicable, 'row')} left as they are"
    return TableCell(value=result.upper_share if upper else result.share, note=note, reason=NO_ROW)


# Scores from elsewhere, such as those of a language model that judges.


def judges(dataset: DatasetResult, slug: str) -> Table:
    """Build the table that holds scores from elsewhere beside the metrics."""
    length = next(
        (result.people_with_length for result in dataset.judges if result.people_with_length is not None),
        None,
    )
    people = next((result.people_kappa for result in dataset.judges if result.people_kappa is not None), None)
    caption = (
        "Length is that of the candidate in words; what falls when it is held constant was length, not judgement. "
        "Quadratic \N{GREEK SMALL LETTER KAPPA} is the agreement with a single rater, for whole numbers on one scale."
    )
    caption += "" if length is None else f" People's own ratings have r = {length:.3f} with length."
    caption += "" if people is None else f" Two raters reach \N{GREEK SMALL LETTER KAPPA} = {people:.3f}."
    decided = "one of the two follows from length, or is constant"
    table = listing(
        f"judges_{slug}", f"{dataset.name}: scores from elsewhere beside the metrics", caption, dataset.judges,
        (Column("scores"), lambda of: f"\N{BLACK DIAMOND} {of.metric}" if of.external else of.metric),
        (Column("Pearson's r", "number", 3), lambda of: TableCell(value=of.pearson, reason=decided)),
        (
            Column("Pearson's r", "number", 3, "length held constant"),
            lambda of: TableCell(value=of.partial, low=of.partial_low, high=of.partial_high, reason=decided),
        ),
        (
            Column("Spearman's \N{GREEK SMALL LETTER RHO}", "number", 3, "length held constant"),
            lambda of: TableCell(value=of.partial_spearman, reason=decided),
        ),
        (
            Column("within bins", "number", 3, "length held constant", "mean r of rows that are about equally long"),
            lambda of: TableCell(value=of.within_bins, reason=decided),
        ),
        (Column("r with length", "number", 3), lambda of: TableCell(value=of.with_length, reason=decided)),
        (
            Column("quadratic \N{GREEK SMALL LETTER KAPPA}", "number", 3),
            lambda of: TableCell(value=of.kappa, reason="no whole numbers on both sides" if of.external else ""),
        ),
        (Column("rows", "number", 0), lambda of: of.n),
    )  # fmt: skip
    return replace(table, rows=tuple(mark_best(mark_best(table.rows, 1), 2)))


def length_bins(dataset: DatasetResult, slug: str) -> Table:
    """Build the table of the correlations within bins of length."""
    bins = next((result.bins for result in dataset.judges if result.external), ())
    return Table(
        f"judges_length_{slug}", f"{dataset.name}: Pearson's r within bins of length",
        "Rows are binned by the number of words of the candidate.",
        (Column("scores"), *(Column(_words(b), "number", 3) for b in bins)),
        tuple(
            line(result.metric, *(TableCell(value=b.pearson, note=f"n = {b.n}", reason=CONSTANT) for b in result.bins))
            for result in dataset.judges if len(result.bins) == len(bins)
        ),
    )  # fmt: skip


def _words(part: LengthBin) -> str:
    return f"{' to '.join(map(str, sorted({part.shortest, part.longest})))} words"
