"""A row of results as text."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from mars_score.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.files.rows import ResultRow


FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""What a text begins with that a spreadsheet may take for a formula, and run; the last four are full-width."""
ESCAPE = "'"


def escape(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula: with an apostrophe before it, if need be.

    A text that already looks so gets one more; `unescape` gives every text back as it was.
    """
    looks_escaped = text[:1] == ESCAPE and (text[1:2] == ESCAPE or text[1:2] in FORMULA)
    return ESCAPE + text if text[:1] in FORMULA or looks_escaped else text


def unescape(cell: str) -> str:
    """Return the text that `escape` made a cell of."""
    return cell[1:] if cell[:1] == ESCAPE and (cell[1:2] == ESCAPE or cell[1:2] in FORMULA) else cell


def json_line(row: ResultRow) -> str:
    """Return a row as one line of JSON; numbers read back as the same numbers."""
    content = {"id": row.id, "scores": row.numbers(), "flags": list(row.flags)}
    return json.dumps(content, ensure_ascii=False) + "\n"


class Table:
    """Rows as delimited text: id, a column for each metric, flags joined with ``;``."""

    def __init__(self, delimiter: str, metrics: Sequence[str] | None = None, *, escaped: bool = True) -> None:
        """Begin with a header; where the metrics are given, it has been written before.

        Ids are escaped for spreadsheets unless told otherwise. Scores are numbers and stay as they are.
        """
        self._delimiter, self._escape = delimiter, escape if escaped else str
        self._metrics = None if metrics is None else list(metrics)

    def __call__(self, row: ResultRow) -> str:
        """Return a row as one record; the first one comes with the header, whose metrics it decides."""
        header = ""
        if self._metrics is None:
            self._metrics = list(row.scores)
            header = self._record(["id", *self._metrics, "flags"])
        if set(row.scores) != set(self._metrics):
            has, needs = ", ".join(row.scores), ", ".join(self._metrics)
            raise OutputError(f"the row of id {row.id!r} has the metrics {has}; the header has {needs}")
        numbers = row.numbers()
        cells = ["" if numbers[name] is None else repr(numbers[name]) for name in self._metrics]
        return header + self._record([self._escape(row.id), *cells, ";".join(row.flags)])

    def _record(self, cells: list[str]) -> str:
        text = io.StringIO()
        # The module quotes a cell for the characters of its line end: with CRLF, a lone CR is quoted too.
        csv.writer(text, delimiter=self._delimiter, lineterminator="\r\n").writerow(cells)
        return text.getvalue().removesuffix("\r\n") + "\n"
