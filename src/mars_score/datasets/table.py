"""The tables of the original releases: a header, then rows whose last cells may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.files import delimited
from mars_score.files.source import open_input
from mars_score.files.text_lines import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def header(path: str) -> list[str]:
    """Return the column names of a csv file; empty for an empty file."""
    with open_input(path) as stream:
        _, cells = next(delimited.records(pieces(stream, path), path, ","), (1, []))
    return [cell.strip() for cell in cells]


def read(path: str, needed: Sequence[str], what: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the cells by name of each row of a csv file with at least the needed columns."""
    with open_input(path) as stream:
        rows = delimited.records(pieces(stream, path), path, ",")
        start, cells = next(rows, (1, []))
        names = [cell.strip() for cell in cells]
        _check_header(names, needed, what, path, start)
        for line, found in rows:
            _check_width(found, names, needed, path, line)
            # Crowdsourcing exports leave out trailing cells that were never filled, so a row may be shorter.
            yield line, dict(zip(names, found, strict=False))


def _check_header(names: list[str], needed: Sequence[str], what: str, path: str, line: int) -> None:
    missing = [name for name in needed if name not in names]
    if missing:
        raise InputError(
            f"the header has no column {missing[0]!r}, so this is not {what}",
            path=path,
            line=line,
            remedy=f"the columns must be {', '.join(needed[:12])}{', ...' * (len(needed) > 12)};"
            " if the file has another format, name it: format=...",
        )
    twice = next((name for name in needed if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"the header has {names.count(twice)} columns {twice!r}",
            path=path,
            line=line,
            remedy="rename all but one",
        )


def _check_width(cells: list[str], names: list[str], needed: Sequence[str], path: str, line: int) -> None:
    least = 1 + max(names.index(name) for name in needed)
    if not least <= len(cells) <= len(names):
        raise InputError(
            f"the row has {len(cells)} cells, but the header has {len(names)}",
            path=path,
            line=line,
            remedy="a cell that holds a comma, a quote or a line break must be quoted, and its quotes doubled",
        )
