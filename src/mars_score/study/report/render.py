"""Tables written down: CSV, HTML, LaTeX, Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.io.html import one_line, printable, shortened
from mars_score.io.writers import escape
from mars_score.study.report.wording import main_text, small_print, typeset_minus

if TYPE_CHECKING:
    from mars_score.study.report.table import Column, Table, TableCell


# Tables as CSV (RFC 4180): plain numbers in full, one number a column, empty where there is none.


def to_csv(table: Table) -> str:
    """Return the table as CSV; intervals, clusters and reasons have columns of their own."""
    fields: list[tuple[str, int, Callable[[TableCell], str]]] = []
    for index, column in enumerate(table.columns):
        fields += [(name, index, get) for name, get in _parts(table, index, column)]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([escape(name) for name, _, _ in fields])
    writer.writerows([get(row[index]) for _, index, get in fields] for row in table.rows)
    return out.getvalue()


def _parts(table: Table, index: int, column: Column) -> list[tuple[str, Callable[[TableCell], str]]]:
    title = f"{column.group}: {column.title}" if column.group else column.title
    if column.kind == "text":
        # Readers of CSV stop at a null character.
        return [(title, lambda entry: escape(entry.text.replace("\0", "\N{REPLACEMENT CHARACTER}")))]
    parts: list[tuple[str, Callable[[TableCell], str]]] = [
        (title, lambda entry: _plain(entry.value)),
        (f"{title} low", lambda entry: _plain(entry.low)),
        (f"{title} high", lambda entry: _plain(entry.high)),
        (f"{title} cluster", lambda entry: _plain(entry.cluster)),
        (f"{title} undefined", lambda entry: escape(entry.reason) if entry.value is None else ""),
    ]
    return [
        (name, get)
        for number, (name, get) in enumerate(parts)
        if number == 0 or any(get(row[index]) for row in table.rows)
    ]


def _plain(value: float | None) -> str:
    return "" if value is None else repr(value)


# Tables for the page: what each cell shows, what it tells on hover, and what it is sorted by.


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
        tuple(_html_cell(column, entry) for column, entry in zip(table.columns, row, strict=True))
        for row in table.rows
    )
    starts, start = [1], 0
    for _, span in table.groups:
        starts.append(start)
        start += span
    return HtmlTable(table, table.groups, frozenset(starts) - {0}, tuple(rows))


def _html_cell(column: Column, entry: TableCell) -> HtmlCell:
    if column.kind == "text":
        text = printable(entry.text)
        return HtmlCell(text, "", printable(entry.note), text.casefold(), "text")
    small = typeset_minus(small_print(column, entry))
    missing = "undefined" if entry.reason else "not-computed"
    classes = ("number", "best" if entry.best else "", missing if entry.value is None else "")
    return HtmlCell(
        text=typeset_minus(main_text(column, entry)),
        small=small or (printable(entry.reason) if entry.value is None else ""),
        tip=_tip(column, entry),
        key="" if entry.value is None else repr(float(entry.value)),
        classes=" ".join(name for name in classes if name),
    )


def _tip(column: Column, entry: TableCell) -> str:
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


# Tables as LaTeX, for `\input` in a document that loads booktabs and graphicx.

LONGEST_TEXT = 300
"""Characters of a text; the other formats have it in full."""
LONG = 40
"""Columns of texts longer than this break their lines."""
WIDE = 6
"""Tables of more columns than this are shrunk to the width of the page."""

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{GREEK SMALL LETTER LAMDA}": r"$\lambda$",
    "\N{GREEK SMALL LETTER ALPHA}": r"$\alpha$",
    "\N{GREEK SMALL LETTER RHO}": r"$\rho$",
    "\N{GREEK SMALL LETTER TAU}": r"$\tau$",
    "\N{GREEK SMALL LETTER SIGMA}": r"$\sigma$",
    "\N{GREEK CAPITAL LETTER OMEGA}": r"$\Omega$",
    "\N{GREEK CAPITAL LETTER DELTA}": r"$\Delta$",
    "\N{BLACK UP-POINTING TRIANGLE}": r"$\uparrow$",
    "\N{BLACK DOWN-POINTING TRIANGLE}": r"$\downarrow$",
    "\N{REPLACEMENT CHARACTER}": "?",
}
PATTERN = re.compile("|".join(map(re.escape, LATEX_SPECIAL)))


def to_latex(table: Table) -> str:
    """Return a floating table; the best numbers are bold."""
    body = [
        rf"\begin{{tabular}}{{@{{}}{''.join(_alignment(table, column) for column in range(len(table.columns)))}@{{}}}}",
        r"\toprule",
        *_group_heads(table),
        _line([escape_latex(column.title) for column in table.columns]),
        r"\midrule",
        *(_line([_latex_cell(c, e) for c, e in zip(table.columns, row, strict=True)]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if len(table.columns) > WIDE:
        body = [r"\resizebox{\textwidth}{!}{%", *body[:-1], rf"{body[-1]}}}"]
    return "\n".join(
        [
            "% needs \\usepackage{booktabs,graphicx} and \\usepackage[T1]{fontenc}",
            r"\begin{table*}[t]",
            r"\centering\small",
            *body,
            rf"\caption{{{escape_latex(table.title)}. {escape_latex(table.caption)}}}",
            rf"\label{{tab:{table.name}}}",
            r"\end{table*}",
            "",
        ]
    )


def escape_latex(text: str) -> str:
    """Keep a text from being read as a command."""
    return PATTERN.sub(lambda match: LATEX_SPECIAL[match.group()], one_line(text))


def _line(cells: list[str]) -> str:
    # A bracket or a star at the start of a row would be read as an option of the \\ before it.
    start = "{}" if cells and cells[0].startswith(("[", "*")) else ""
    return f"{start}{' & '.join(cells)} \\\\"


def _alignment(table: Table, column: int) -> str:
    if table.columns[column].kind != "text":
        return "r"
    return r"p{0.2\textwidth}" if any(len(row[column].text) > LONG for row in table.rows) else "l"


def _group_heads(table: Table) -> list[str]:
    if not table.groups:
        return []
    cells, rules, start = [], [], 1
    for group, span in table.groups:
        cells.append(
            rf"\multicolumn{{{span}}}{{c}}{{{escape_latex(group)}}}" if group else " & " * (span - 1)
        )
        if group:
            rules.append(rf"\cmidrule(lr){{{start}-{start + span - 1}}}")
        start += span
    return [_line(cells), " ".join(rules)]


def _latex_cell(column: Column, entry: TableCell) -> str:
    if column.kind == "text":
        return escape_latex(shortened(entry.text, LONGEST_TEXT))
    shown = escape_latex(typeset_minus(main_text(column, entry)))
    if entry.best:
        shown = rf"\textbf{{{shown}}}"
    if entry.value is None and entry.reason:
        return rf"{shown} {{\scriptsize ({escape_latex(entry.reason)})}}"
    small = escape_latex(typeset_minus(small_print(column, entry)))
    return rf"{shown} {{\scriptsize {small}}}" if small else shown


# Tables as Markdown, in the dialect of GitHub.

MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]#|~$<>&])")


def to_markdown(table: Table) -> str:
    """Return the table under its title; the best numbers are bold."""
    heads = [escape_markdown(f"{c.group}: {c.title}" if c.group else c.title) for c in table.columns]
    rules = [":--" if column.kind == "text" else "--:" for column in table.columns]
    lines = [
        heads,
        rules,
        *([_markdown_cell(c, e) for c, e in zip(table.columns, row, strict=True)] for row in table.rows),
    ]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"### {escape_markdown(table.title)}\n\n{escape_markdown(table.caption)}\n\n{body}\n"


def escape_markdown(text: str) -> str:
    """Keep a text from being read as Markdown or HTML."""
    return MARKDOWN_SPECIAL.sub(r"\\\1", one_line(text))


def _markdown_cell(column: Column, entry: TableCell) -> str:
    shown = escape_markdown(main_text(column, entry))
    if entry.best:
        shown = f"**{shown}**"
    if entry.value is None and entry.reason:
        shown = f"{shown} ({escape_markdown(entry.reason)})"
    return f"{shown} {small_print(column, entry)}".rstrip()
