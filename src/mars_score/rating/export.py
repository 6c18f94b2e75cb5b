"""The file of ratings that a study reads. Here, and nowhere else in the form, codes meet the key."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.files.output_path import failed, unwritable
from mars_score.files.render import escape
from mars_score.files.replacing import replacing
from mars_score.rating.csv_rows import read_rows
from mars_score.study.ratings_file import LONG, QUESTIONS, VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mars_score.rating.sheet import Sheet
    from mars_score.rating.storage import Answer

_REMEDY = "give the key that mars-score rating-sheet wrote together with the sheet"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code stands for."""

    item: str
    variant: str


def read_key(path: Path, sheet: Sheet) -> dict[str, Meaning]:
    """Read the key of a sheet; the key of another one is refused."""
    rows = read_rows(path, ("code", "item", "variant", "text"), _REMEDY)
    found = {}
    for text in sheet.texts:
        if text.code not in rows:
            raise InputError(
                f"the key has no code {text.code!r}, which is in {sheet.path}", path=path, remedy=_REMEDY
            )
        line, row = rows[text.code]
        if row["variant"] not in VARIANTS:
            raise InputError(f"unknown variant {row['variant']!r}", path=path, line=line, remedy=_REMEDY)
        if _plain(row["text"]) != _plain(text.text):
            raise InputError(
                f"the text of {text.code!r} is another one than in {sheet.path}",
                path=path,
                line=line,
                remedy=_REMEDY,
            )
        found[text.code] = Meaning(row["item"], row["variant"])
    return found


def ratings_text(answers: Iterable[Answer], key: Mapping[str, Meaning]) -> str:
    """Return the answers as csv, one a row, in an order that does not depend on when they were given."""
    rows = [
        (key[one.code].item, key[one.code].variant, one.question, one.rater, one.rating) for one in answers
    ]
    rows.sort(key=lambda row: (row[3], row[0], VARIANTS.index(row[1]), QUESTIONS.index(row[2])))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(LONG)
    # Raters choose their names, and whoever studies the ratings may open them in a spreadsheet.
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
