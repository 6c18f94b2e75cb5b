"""Tables as Markdown, in the dialect of GitHub."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mars_score.pages.printable import one_line
from mars_score.report.wording import interval, main_text

if TYPE_CHECKING:
    from mars_score.report.table import Column, Entry, Table

SPECIAL = re.compile(r"([\\`*_\[\]#|~$<>&])")


def to_markdown(table: Table) -> str:
    """Return the table under its title; the best numbers are bold."""
    heads = [escape(f"{c.group}: {c.title}" if c.group else c.title) for c in table.columns]
    rules = [":--" if column.kind == "text" else "--:" for column in table.columns]
    lines = [
        heads,
        rules,
        *([_cell(c, e) for c, e in zip(table.columns, row, strict=True)] for row in table.rows),
    ]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"### {escape(table.title)}\n\n{escape(table.caption)}\n\n{body}\n"


def escape(text: str) -> str:
    """Keep a text from being read as Markdown or HTML."""
    return SPECIAL.sub(r"\\\1", one_line(text))


def _cell(column: Column, entry: Entry) -> str:
    shown = escape(main_text(column, entry))
    if entry.best:
        shown = f"**{shown}**"
    if entry.value is None and entry.reason:
        shown = f"{shown} ({escape(entry.reason)})"
    cluster = f"c{entry.cluster}" if entry.cluster is not None and entry.value is not None else ""
    return " ".join(part for part in (shown, interval(column, entry), cluster) if part)
