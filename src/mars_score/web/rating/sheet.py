"""The blinded sheet, read, and the file of ratings that a study reads, written.

Here, and nowhere else in the form, codes meet the key that says what they stand for.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.fingerprint import digest
from mars_score.io import delimited
from mars_score.io.output import failed, replacing, unwritable
from mars_score.io.source import DELIMITERS, check_readable, open_input, pieces
from mars_score.io.writers import escape, unescape
from mars_score.study.augmentation_ratings import LONG, QUESTIONS, VARIANTS

if TYPE_CHECKING:
    from mars_score.web.rating.storage import RatingAnswer


def read_rows(path: Path, columns: Sequence[str], remedy: str) -> dict[str, tuple[int, dict[str, str]]]:
    """Return the rows with their lines, by the first of the columns, in which no text may come twice.

    Other columns are left out. The remedy is for a file that is something else.
    """
    check_readable(path)
    wrong = partial(InputError, path=path, remedy=remedy)
    rows: dict[str, tuple[int, dict[str, str]]] = {}
    with open_input(path) as stream:
        table = delimited.records(pieces(stream, str(path)), str(path), DELIMITERS["csv"])
        start, header = next(table, (1, []))
        names = [name.strip().lower() for name in header]
        if missing := [name for name in columns if name not in names]:
            raise wrong(f"there is no column {missing[0]!r}", line=start)
        for line, cells in table:
            if len(cells) != len(names):
                raise InputError(
                    f"the row has {len(cells)} cells, but the header has {len(names)}",
                    path=path,
                    line=line,
                    remedy="quote a cell that holds a comma, a quote or a line break",
                )
            values = dict(zip(names, cells, strict=True))
            row = {name: unescape(values[name]) for name in columns}
            key = row[columns[0]] = row[columns[0]].strip()
            if not key:
                raise wrong(f"the {columns[0]} is empty", line=line)
            if key in rows:
                first = rows[key][0]
                raise wrong(
                    f"the {columns[0]} {key!r} is on line {first} and again on line {line}", line=line
                )
            rows[key] = line, row
    if not rows:
        raise wrong("there are no rows below the header")
    return rows


COLUMNS = ("code", "context", "text")
_SHEET_REMEDY = (
    "give the sheet as mars-score rating-sheet wrote it, with each text once and no ratings filled in"
)


@dataclass(frozen=True, slots=True)
class SheetText:
    """A text to rate."""

    code: str
    """Stays on the server: with the seed of the sheet, the variant could be computed from it."""
    context: str
    text: str


@dataclass(frozen=True)
class Sheet:
    """All texts to rate."""

    path: Path
    texts: tuple[SheetText, ...]

    @cached_property
    def hash(self) -> str:
        """Names what is rated. Neither the order of rows nor how the file is written plays a part."""
        rows = sorted((text.code, text.context, text.text) for text in self.texts)
        return digest("sheet", rows).hex()


def read_sheet(path: str | Path) -> Sheet:
    """Read a sheet that `mars-score rating-sheet` wrote."""
    file = Path(path)
    rows = read_rows(file, COLUMNS, _SHEET_REMEDY)
    return Sheet(file, tuple(SheetText(code, row["context"], row["text"]) for code, (_, row) in rows.items()))


_EXPORT_REMEDY = "give the key that mars-score rating-sheet wrote together with the sheet"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code stands for."""

    item: str
    variant: str


def read_key(path: Path, sheet: Sheet) -> dict[str, Meaning]:
    """Read the key of a sheet; the key of another one is refused."""
    rows = read_rows(path, ("code", "item", "variant", "text"), _EXPORT_REMEDY)
    wrong = partial(InputError, path=path, remedy=_EXPORT_REMEDY)
    meanings = {}
    for text in sheet.texts:
        if text.code not in rows:
            raise wrong(f"the key has no code {text.code!r}, which is in {sheet.path}")
        line, row = rows[text.code]
        if row["variant"] not in VARIANTS:
            raise wrong(f"unknown variant {row['variant']!r}", line=line)
        if _plain(row["text"]) != _plain(text.text):
            raise wrong(f"the text of {text.code!r} is another one than in {sheet.path}", line=line)
        meanings[text.code] = Meaning(row["item"], row["variant"])
    return meanings


def ratings_text(answers: Iterable[RatingAnswer], key: Mapping[str, Meaning]) -> str:
    """Return the answers as csv, one a row, in an order that does not depend on when they were given."""
    rows = [
        (key[answer.code].item, key[answer.code].variant, answer.question, answer.rater, answer.rating)
        for answer in answers
    ]
    rows.sort(key=lambda row: (row[3], row[0], VARIANTS.index(row[1]), QUESTIONS.index(row[2])))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(LONG)
    # Raters choose their names, and the ratings may be opened in a spreadsheet.
    writer.writerows(
        (escape(item), variant, question, escape(rater), rating)
        for item, variant, question, rater, rating in rows
    )
    return text.getvalue()


def check_new(path: Path) -> None:
    """Refuse to write over a file: it may be the only copy of somebody's ratings."""
    if path.exists() or path.is_symlink():
        raise failed(str(path), "this file is there already", "name another file, or remove this one first")
    if not path.parent.is_dir():
        raise unwritable(path, FileNotFoundError())


def write_ratings(path: Path, text: str) -> None:
    """Write the file, whole or not at all."""
    check_new(path)
    try:
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise unwritable(path, error) from error


def _plain(text: str) -> str:
    """A text as it is compared: programs that save csv files change line ends."""
    return text.replace("\r\n", "\n")
