"""Results in a notebook: a table with bars, and the page of explanations below a cell."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import InputError, missing_extra
from mars_score.io.html import shortened, written_in

if TYPE_CHECKING:
    from mars_score.types import ItemScore, ScoreResult

ROWS = 20
"""Rows of a table; those of a large result would drown the notebook."""
LONGEST = 90
HEIGHT = 640
"""Pixels of an explanation; it scrolls inside."""
_BAR = "display:inline-block;height:.7em;background:#0072b2;border-radius:2px;width:"
_LEFT = "text-align:left"


def table(result: ScoreResult) -> str:
    """Return a result as a table with bars from 0 to 1, or to 100%; styles are inline, as notebooks strip others."""
    head = "".join(
        f'<th style="{_LEFT}">{name}</th>' for name in ("id", escape(result.metric), "", "candidate")
    )
    body = "".join(map(_row, result.items[:ROWS]))
    left = len(result) - ROWS
    more = f"<p>... and {left} more: <code>.to_pandas()</code> has all</p>" if left > 0 else ""
    return (
        f"<div><p><b>{escape(result.metric)}</b> of {len(result)} candidates: mean <b>{result.shown_mean}</b></p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
        f"<details><summary>signature</summary><code>{escape(result.signature)}</code></details></div>"
    )


def _row(item: ItemScore) -> str:
    length = item.score if item.percent is None else item.percent / 100
    width = max(0.0, min(1.0, length)) if isfinite(length) else 0.0
    text = "" if item.example is None else shortened(item.example.candidate, LONGEST)
    flags = f" <small>({escape(', '.join(item.flags))})</small>" if item.flags else ""
    cells = (
        escape(shortened(item.id, 40)),
        item.shown,
        f'<span style="display:inline-block;width:8em"><span style="{_BAR}{width:.1%}"></span></span>',
        f"<span{written_in(text)}>{escape(text)}</span>{flags}",
    )
    return "<tr>" + "".join(f'<td style="{_LEFT}">{cell}</td>' for cell in cells) + "</tr>"


def page(item: ItemScore) -> str:
    """Return the page that explains one score."""
    from mars_score.web.explain.explanation import explain_examples

    if item.example is None or item.scorer is None:
        raise InputError(
            f"the score of {item.id!r} was made without its texts, so it cannot be explained",
            remedy="take it from the result of score(...) with the metric mars",
        )
    try:
        from mars_score.web.explain.page import to_page

        explained = explain_examples(item.scorer, [item.example], [item])
        return to_page(explained, None, signature=item.scorer.signature, source=f"item {item.id}")
    except ModuleNotFoundError as error:
        raise missing_extra(error) from error


def frame(item: ItemScore) -> str:
    """Return the page inside a frame, where neither its style nor its script meets the notebook's."""
    return (
        f'<div><iframe srcdoc="{escape(page(item))}" sandbox="allow-scripts" title="Where the score comes from" '
        f'style="width:100%;height:{HEIGHT}px;border:1px solid #d5d9df;border-radius:4px"></iframe></div>'
    )


def show(item: ItemScore) -> None:
    """Show the page below the cell of a notebook; elsewhere open it in the browser."""
    # Only a running notebook has loaded it; to import it here would cost half a second.
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        from IPython.display import HTML, display

        display(HTML(frame(item)))
        return
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8", delete=False) as file:
        file.write(page(item))
    webbrowser.open(Path(file.name).as_uri())
