"""Table 3 and its relatives: metrics down, data sets across, a correlation with people in each cell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mars_score.study.report.table import Column, Line, Table, TableCell, mark_best, without_empty_columns
from mars_score.study.report.wording import (
    LEVEL_MEANINGS,
    LEVELS,
    REASONS,
    STATISTIC_MEANINGS,
    STATISTICS,
    counted,
    plain,
    relatives,
)
from mars_score.study.results import HUMAN, PER_RATING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mars_score.study.results import Cell, DatasetResult, Study

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
        Wanted(place, HUMAN, "system", system, statistic, Column(system, "number", 3, dataset.name))
        for place, dataset in enumerate(study.datasets)
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
            place,
            target,
            level,
            "",
            statistic,
            Column(title, "number", 3, dataset.name, LEVEL_MEANINGS[level]),
        )
        for place, dataset in enumerate(study.datasets)
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
            place,
            aspect,
            level,
            "",
            statistic,
            Column(LEVELS[level], "number", 3, f"{dataset.name}: {aspect}", LEVEL_MEANINGS[level]),
        )
        for place, dataset in enumerate(study.datasets)
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
    rows = [
        (
            TableCell(name),
            TableCell(target),
            TableCell(plain(level, LEVELS)),
            TableCell(plain(statistic, STATISTICS)),
            TableCell(", ".join(metrics) if len(metrics) < len(study.metrics) else "all"),
            TableCell(value=n),
            TableCell(value=rows),
            TableCell(why),
        )
        for (name, target, level, statistic, n, rows, why), metrics in alike.items()
    ]
    columns = (
        Column("data set"),
        Column("target"),
        Column("level"),
        Column("statistic"),
        Column("metrics"),
        Column("used", "number", 0, explanation="rows, systems or items behind the number"),
        Column("rows without a score", "number", 0),
        Column("undefined", explanation="groups that have no correlation, by reason"),
    )
    caption = "Groups without a correlation are not part of the means above; here they are counted."
    return Table("table3_left_out", "What was left out", caption, columns, tuple(rows))


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
    for place in range(1, len(wanted) + 1):
        rows = mark_best(rows, place)
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
