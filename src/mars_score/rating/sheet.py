"""The blinded sheet, read: texts with their contexts, under codes. What the codes stand for is not known here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mars_score.hashing import digest
from mars_score.rating.csv_rows import read_rows

COLUMNS = ("code", "context", "text")
_REMEDY = "give the sheet as mars-score rating-sheet wrote it, with each text once and no ratings filled in"


@dataclass(frozen=True, slots=True)
class Text:
    """A text to rate."""

    code: str
    """Stays on the server: whoever knows the seed of the sheet could tell the variant from it."""
    context: str
    text: str


@dataclass(frozen=True)
class Sheet:
    """All texts to rate."""

    path: Path
    texts: tuple[Text, ...]

    @cached_property
    def hash(self) -> str:
        """Names what is rated. Neither the order of rows nor how the file is written plays a part."""
        rows = sorted((text.code, text.context, text.text) for text in self.texts)
        return digest("sheet", rows).hex()


def read_sheet(path: str | Path) -> Sheet:
    """Read a sheet that `mars-score rating-sheet` wrote."""
    file = Path(path)
    rows = read_rows(file, COLUMNS, _REMEDY)
    return Sheet(file, tuple(Text(code, row["context"], row["text"]) for code, (_, row) in rows.items()))
