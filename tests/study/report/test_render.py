"""Each format against a small table that was written down by hand, and against any text at all."""

from __future__ import annotations

import csv
import io
import itertools
import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mars_score.io.html import one_line
from mars_score.io.writers import unescape
from mars_score.study.report.render import LATEX_SPECIAL, to_csv, to_html, to_latex, to_markdown
from mars_score.study.report.render import escape_latex as latex_escape
from mars_score.study.report.table import Column, Table, TableCell
from mars_score.study.report.wording import NOT_COMPUTED
from tests.study.report.small import TABLE

MARKDOWN = """\
### A \\& B\\_1

50% of \\<all\\> rows.

| metric | news: r | news: share | p |
| :-- | --: | --: | --: |
| mars\\|x | **0.423** [-0.100, 0.500] c1 | 50% | \\<0.001 |
| b\\*c | undefined (all equal) | \N{EN DASH} | 0.040 |
| up | ▲ 0.000 | 100% | 0.500 |
"""

CSV = """\
metric,news: r,news: r low,news: r high,news: r cluster,news: r undefined,news: share,p
mars|x,0.4234,-0.1,0.5,1,,0.5,1.23e-05
b*c,,,,,all equal,,0.04
up,-0.0001,,,,,1.0,0.5
"""

LATEX = r"""% needs \usepackage{booktabs,graphicx} and \usepackage[T1]{fontenc}
\begin{table*}[t]
\centering\small
\begin{tabular}{@{}lrrr@{}}
\toprule
 & \multicolumn{2}{c}{news} &  \\
\cmidrule(lr){2-3}
metric & r & share & p \\
\midrule
mars\textbar{}x & \textbf{0.423} {\scriptsize [$-$0.100, 0.500] c1} & 50\% & \textless{}0.001 \\
b*c & undefined {\scriptsize (all equal)} & -- & 0.040 \\
up & $\uparrow$ 0.000 & 100\% & 0.500 \\
\bottomrule
\end{tabular}
\caption{A \& B\_1. 50\% of \textless{}all\textgreater{} rows.}
\label{tab:small}
\end{table*}
"""


def test_markdown() -> None:
    assert to_markdown(TABLE) == MARKDOWN


def test_csv() -> None:
    assert to_csv(TABLE) == CSV.replace("\n", "\r\n")


def test_latex() -> None:
    assert to_latex(TABLE) == LATEX


def test_html_cells() -> None:
    shown = to_html(TABLE)
    assert shown.groups == (("", 1), ("news", 2), ("", 1))
    name, best, share, p = shown.rows[0]
    assert (name.text, name.key, name.tip) == ("mars|x", "mars|x", "a note")
    assert (best.text, best.small, best.key, best.classes) == (
        "0.423",
        "[\N{MINUS SIGN}0.100, 0.500] c1",
        "0.4234",
        "number best",
    )
    assert (
        best.tip == "r: 0.4234; 95% interval -0.1 to 0.5; significance cluster 1; best of its column; n = 9"
    )
    assert (share.text, share.key) == ("50%", "0.5")
    assert p.text == "<0.001"
    missing, absent = shown.rows[1][1:3]
    assert (missing.text, missing.small, missing.key) == ("undefined", "all equal", "")
    assert missing.tip == "undefined: all equal"
    assert (absent.text, absent.small, absent.tip, absent.key) == (NOT_COMPUTED, "", "not computed", "")


ANY = st.text(max_size=60)
ANY_WITHOUT_SURROGATES = st.text(st.characters(codec="utf-8"), max_size=60)


def _holding(text: str) -> Table:
    return Table(
        "t", text, "Ours.", (Column(text), Column(text, group=text)), ((TableCell(text), TableCell("end")),)
    )


@given(ANY, st.floats(allow_nan=False, allow_infinity=False))
def test_csv_reads_back_exactly(text: str, value: float) -> None:
    table = Table(
        "t", "", "", (Column("a"), Column("b", "number")), ((TableCell(text), TableCell(value=value)),)
    )
    _, row = csv.reader(io.StringIO(to_csv(table), newline=""))
    assert unescape(row[0]) == text.replace("\0", "\ufffd")
    assert float(row[1]) == value


@given(ANY)
def test_markdown_shows_any_text_as_it_is(text: str) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(to_markdown(_holding(text)))
    inline = [token for token in tokens if token.type == "inline"]
    children = [child for token in inline for child in token.children or []]
    assert {child.type for child in children} <= {"text", "text_special"}
    assert not [token for token in tokens if token.type.startswith("html")]
    cells = [token for before, token in itertools.pairwise(tokens) if before.type == "td_open"]
    assert len(cells) == 2
    assert "".join(child.content for child in cells[0].children or []) == one_line(text)


# What may follow a backslash, or be printed bare: nothing else is left of any text.
ESCAPES = "|".join(map(re.escape, sorted(LATEX_SPECIAL.values(), key=len, reverse=True)))
HARMLESS = re.compile(rf"""(?:{ESCAPES}|[^\\{{}}&%$#_~^<>|"])*""")


@given(ANY)
def test_latex_escapes_all_that_is_special(text: str) -> None:
    assert HARMLESS.fullmatch(latex_escape(text))


@given(ANY)
def test_latex_is_balanced(text: str) -> None:
    # Escaped braces and row ends aside, what opens closes.
    bare = re.sub(r"\\[{}&%$#_\\]", "", to_latex(_holding(text)))
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    assert re.findall(r"\\begin{(.*?)}", bare) == re.findall(r"\\end{(.*?)}", bare)[::-1]
    assert all(line.count("&") == 1 for line in bare.splitlines() if " & " in line)


@given(ANY_WITHOUT_SURROGATES)
def test_one_line_has_no_control_characters(text: str) -> None:
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", one_line(text))
