"""Tables for the page: what each cell shows, what it tells on hover, and what it is sorted by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.pages.printable import printable
from mars_score.report.wording import interval, main_text, typeset_minus

if TYPE_CHECKING:
    from mars_score.report.table import Column, Entry, Table


@dataclass(frozen=True, slots=True)
class HtmlCell:
    """A cell, as the template prints it. All texts are still to be escaped."""

    text: str
    small: str
    """The interval and the cluster, below the number."""
    tip: str
    """On hover and on focus."""
    key: str
    """What the row is sorted by; empty for what has no value, which comes last."""
    classes: str


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table, as the template prints it."""

    table: Table
    groups: tuple[tuple[str, int], ...]
    starts: frozenset[int]
    """The columns that have a line on their left: the second, and the first of each group."""
    rows: tuple[tuple[HtmlCell, ...], ...]


def to_html(table: Table) -> HtmlTable:
    """Prepare a table for the template."""
    rows = (
        tuple(_cell(column, entry) for column, entry in zip(table.columns, row, strict=True))
        for row in table.rows
    )
    starts, place = [1], 0
    for _, span in table.groups:
        starts.append(place)
        place += span
    return HtmlTable(table, table.groups, frozenset(starts) - {0}, tuple(rows))


def _cell(column: Column, entry: Entry) -> HtmlCell:
    if column.kind == "text":
        text = printable(entry.text)
        return HtmlCell(text, "", printable(entry.note), text.casefold(), "text")
    cluster = f"c{entry.cluster}" if entry.cluster is not None and entry.value is not None else ""
    small = typeset_minus(" ".join(part for part in (interval(column, entry), cluster) if part))
    missing = "undefined" if entry.reason else "not-computed"
    classes = ("number", "best" if entry.best else "", missing if entry.value is None else "")
    return HtmlCell(
        text=typeset_minus(main_text(column, entry)),
        small=small or (printable(entry.reason) if entry.value is None else ""),
        tip=_tip(column, entry),
        key="" if entry.value is None else repr(float(entry.value)),
        classes=" ".join(name for name in classes if name),
    )


def _tip(column: Column, entry: Entry) -> str:
    if entry.value is None:
        missing = f"undefined: {entry.reason}" if entry.reason else "not computed"
        return "; ".join(part for part in (missing, entry.note) if part)
    exact = [f"{column.title}: {entry.value:.8g}"]
    if entry.low is not None and entry.high is not None:
        exact.append(f"95% interval {entry.low:.8g} to {entry.high:.8g}")
    if entry.cluster is not None:
        exact.append(f"significance cluster {entry.cluster}")
    if entry.best:
        exact.append("best of its column")
    return printable("; ".join([*exact, entry.note] if entry.note else exact))
