"""Tables as LaTeX, for `\\input` in a document that loads booktabs and graphicx."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mars_score.pages.printable import one_line, shortened
from mars_score.report.wording import interval, main_text

if TYPE_CHECKING:
    from mars_score.report.table import Column, Entry, Table

LONGEST_TEXT = 300
"""Characters of a text; the other formats have it in full."""
LONG = 40
"""Columns of texts longer than this break their lines."""
WIDE = 6
"""Tables of more columns than this are shrunk to the width of the page."""

SPECIAL = {
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
PATTERN = re.compile("|".join(map(re.escape, SPECIAL)))


def to_latex(table: Table) -> str:
    """Return a floating table; the best numbers are bold."""
    body = [
        rf"\begin{{tabular}}{{@{{}}{''.join(_alignment(table, place) for place in range(len(table.columns)))}@{{}}}}",
        r"\toprule",
        *_group_heads(table),
        _line([escape(column.title) for column in table.columns]),
        r"\midrule",
        *(_line([_cell(c, e) for c, e in zip(table.columns, row, strict=True)]) for row in table.rows),
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
            rf"\caption{{{escape(table.title)}. {escape(table.caption)}}}",
            rf"\label{{tab:{table.name}}}",
            r"\end{table*}",
            "",
        ]
    )


def escape(text: str) -> str:
    """Keep a text from being read as a command."""
    return PATTERN.sub(lambda found: SPECIAL[found.group()], one_line(text))


def _line(cells: list[str]) -> str:
    # A bracket or a star at the start of a row would be read as an option of the \\ before it.
    start = "{}" if cells and cells[0].startswith(("[", "*")) else ""
    return f"{start}{' & '.join(cells)} \\\\"


def _alignment(table: Table, place: int) -> str:
    if table.columns[place].kind != "text":
        return "r"
    return r"p{0.2\textwidth}" if any(len(row[place].text) > LONG for row in table.rows) else "l"


def _group_heads(table: Table) -> list[str]:
    if not table.groups:
        return []
    cells, rules, start = [], [], 1
    for group, span in table.groups:
        cells.append(rf"\multicolumn{{{span}}}{{c}}{{{escape(group)}}}" if group else " & " * (span - 1))
        if group:
            rules.append(rf"\cmidrule(lr){{{start}-{start + span - 1}}}")
        start += span
    return [_line(cells), " ".join(rules)]


def _cell(column: Column, entry: Entry) -> str:
    if column.kind == "text":
        return escape(shortened(entry.text, LONGEST_TEXT))
    shown = escape(main_text(column, entry).replace("-", "\N{MINUS SIGN}"))
    if entry.best:
        shown = rf"\textbf{{{shown}}}"
    if entry.value is None and entry.reason:
        return rf"{shown} {{\scriptsize ({escape(entry.reason)})}}"
    bounds = escape(interval(column, entry).replace("-", "\N{MINUS SIGN}"))
    cluster = f"c{entry.cluster}" if entry.cluster is not None and entry.value is not None else ""
    small = " ".join(part for part in (bounds, cluster) if part)
    return rf"{shown} {{\scriptsize {small}}}" if small else shown
