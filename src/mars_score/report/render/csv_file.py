"""Tables as CSV (RFC 4180): plain numbers in full, one number a column, empty where there is none.

Texts that a spreadsheet would take for formulas have an apostrophe before them.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from mars_score.files.render import escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from mars_score.report.table import Column, Entry, Table


def to_csv(table: Table) -> str:
    """Return the table as CSV; intervals, clusters and reasons have columns of their own."""
    fields: list[tuple[str, int, Callable[[Entry], str]]] = []
    for place, column in enumerate(table.columns):
        fields += [(name, place, get) for name, get in _parts(table, place, column)]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([escape(name) for name, _, _ in fields])
    writer.writerows([get(row[place]) for _, place, get in fields] for row in table.rows)
    return out.getvalue()


def _parts(table: Table, place: int, column: Column) -> list[tuple[str, Callable[[Entry], str]]]:
    title = f"{column.group}: {column.title}" if column.group else column.title
    if column.kind == "text":
        # Readers of CSV stop at a null character.
        return [(title, lambda entry: escape(entry.text.replace("\0", "\N{REPLACEMENT CHARACTER}")))]
    parts: list[tuple[str, Callable[[Entry], str]]] = [
        (title, lambda entry: _plain(entry.value)),
        (f"{title} low", lambda entry: _plain(entry.low)),
        (f"{title} high", lambda entry: _plain(entry.high)),
        (f"{title} cluster", lambda entry: _plain(entry.cluster)),
        (f"{title} undefined", lambda entry: escape(entry.reason) if entry.value is None else ""),
    ]
    return [
        (name, get)
        for number, (name, get) in enumerate(parts)
        if number == 0 or any(get(row[place]) for row in table.rows)
    ]


def _plain(value: float | None) -> str:
    return "" if value is None else repr(value)
