"""Table 4: metrics under attack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.study.report.table import Column, Line, Table, TableCell, mark_best, without_empty_columns
from mars_score.study.report.wording import attack_meaning, counted, is_harmful
from mars_score.study.results import HUMAN

if TYPE_CHECKING:
    from mars_score.study.results import AttackResult, DatasetResult, Study

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
    for place in range(1, len(columns)):
        rows = mark_best(rows, place, max if columns[place].title == "ref." else min)
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
    found = {(result.metric, result.attack): _share(result, upper) for result in dataset.attacks}
    rows: list[Line] = [
        (TableCell(metric.name), *(found.get((metric.name, attack), TableCell()) for attack in attacks))
        for metric in study.metrics
        if any((metric.name, attack) in found for attack in attacks)
    ]
    for place, attack in enumerate(attacks, 1):
        if is_harmful(attack):
            rows = mark_best(rows, place)
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
    rows = tuple(
        (
            TableCell(result.metric),
            TableCell(result.attack, note=attack_meaning(result.attack)),
            TableCell(value=result.rows),
            TableCell(value=result.not_applicable),
            TableCell(value=result.mean_before, reason=NO_ROW),
            TableCell(value=result.mean_after, reason=NO_ROW),
            TableCell(value=result.share, reason=NO_ROW),
            TableCell(value=result.upper_share, reason=NO_ROW),
            TableCell(value=result.pearson_before, reason=CONSTANT if result.rows else NO_ROW),
            TableCell(value=result.pearson_after, reason=CONSTANT if result.rows else NO_ROW),
        )
        for result in dataset.attacks
    )
    columns = (
        Column("metric"),
        Column("attack"),
        Column("changed", "number", 0, "rows"),
        Column("unchanged", "number", 0, "rows", "the attack does not apply to them; they are not counted"),
        Column("before", "number", 4, "mean score"),
        Column("after", "number", 4, "mean score"),
        Column("all", "percent", 1, "original preferred"),
        Column("well-rated", "percent", 1, "original preferred"),
        Column("before", "number", 3, "Pearson's r"),
        Column("after", "number", 3, "Pearson's r"),
    )
    caption = (
        "Only rows that the attack changes are counted. Mean scores are the metric's own numbers; shares and "
        "correlations count what is better, also where lower is better."
    )
    return Table(f"table4_details_{slug}", f"{dataset.name}: every attack in full", caption, columns, rows)


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
        for cell in dataset.cells
        if (cell.target, cell.level, cell.group, cell.statistic) == (HUMAN, "pooled", "", "pearson")
        and cell.metric in attacked
    }


def _share(result: AttackResult, upper: bool) -> TableCell:
    rows = result.upper_rows if upper else result.rows
    note = f"{counted(rows, 'changed row')}, {counted(result.not_applicable, 'row')} left as they are"
    return TableCell(value=result.upper_share if upper else result.share, note=note, reason=NO_ROW)
