"""Reading what raters thought of augmented references: one rating a row, or the filled rating sheet itself."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.datasets.ratings import Place, number
from mars_score.errors import InputError, did_you_mean
from mars_score.files import delimited, jsonl
from mars_score.files.formats import INPUTS, format_of
from mars_score.files.render import unescape
from mars_score.files.source import check_readable, open_input
from mars_score.files.text_lines import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIANTS = ("original", "naive", "mars")
QUESTIONS = ("relevance", "readability", "overall")
SCALE = (1.0, 7.0)
LONG = ("item", "variant", "question", "rater", "rating")
"""The columns of a file with one rating a row."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's answer to one question about one text."""

    item: str
    variant: str
    question: str
    rater: str
    rating: float


def key_path(sheet: str | Path) -> Path:
    """Return where the key of a rating sheet is: beside it."""
    path = Path(sheet)
    return path.with_name(f"{path.stem}.key.csv")


def read_ratings(path: str | Path) -> list[Rating]:
    """Read a csv, tsv or jsonl file of ratings, or a filled rating sheet whose key is beside it."""
    check_readable(path)
    rows = list(_rows(str(path)))
    if not rows:
        raise InputError("the file has no ratings", path=path, remedy=f"give rows with {', '.join(LONG)}")
    first_line, first = rows[0]
    if "code" in first:
        ratings = _from_sheet(rows, path)
    elif missing := [name for name in LONG if name not in first]:
        raise InputError(
            f"there is no column {missing[0]!r}",
            path=path,
            line=first_line,
            remedy=f"a file of ratings has {', '.join(LONG)}; a filled sheet has code, rater and the questions",
        )
    else:
        ratings = [_rating(values, str(path), line) for line, values in rows]
    _refuse_twice(ratings, path)
    return ratings


def _rows(path: str) -> Iterator[tuple[int, dict[str, object]]]:
    kind = format_of(path, None, INPUTS)
    if kind not in ("csv", "tsv", "jsonl"):
        raise InputError("ratings are read from csv, tsv or jsonl", path=path, remedy="save them as .csv")
    with open_input(path) as stream:
        parts = pieces(stream, path)
        if kind == "jsonl":
            yield from ((row.line, dict(row.values)) for row in jsonl.rows(parts, path))
            return
        table = delimited.records(parts, path, delimited.DELIMITERS[kind])
        _, header = next(table, (1, []))
        names = [name.strip().lower() for name in header]
        for line, cells in table:
            if len(cells) != len(names):
                raise InputError(
                    f"the row has {len(cells)} cells, but the header has {len(names)}", path=path, line=line,
                    remedy="quote a cell that holds the delimiter, a quote or a line break",
                )  # fmt: skip
            yield line, dict(zip(names, cells, strict=True))


def _rating(values: dict[str, object], path: str, line: int) -> Rating:
    item, rater = (unescape(str(values[name]).strip()) for name in ("item", "rater"))
    place = Place(path, line, item)
    return Rating(
        item,
        _known(values["variant"], VARIANTS, "variant", place),
        _known(values["question"], QUESTIONS, "question", place),
        rater,
        _in_scale(values["rating"], "rating", place),
    )


def _from_sheet(rows: list[tuple[int, dict[str, object]]], path: str | Path) -> list[Rating]:
    """One row a text and rater, a column a question; an empty cell is no rating."""
    key = _key(path)
    found: list[Rating] = []
    for line, values in rows:
        code = str(values["code"]).strip()
        place = Place(str(path), line, code)
        if code not in key:
            place.fail(
                "the key has no such code", f"use the sheet that {key_path(path).name} was written with"
            )
        rater = str(values.get("rater") or "").strip()
        for question in QUESTIONS:
            cell = values.get(question)
            if cell is None or not str(cell).strip():
                continue
            if not rater:
                place.fail("no rater is named", "write a name or a number of the rater into each rated row")
            item, variant = key[code]
            found.append(Rating(item, variant, question, rater, _in_scale(cell, question, place)))
    if not found:
        raise InputError("no row of the sheet is rated", path=path, remedy=f"fill in {', '.join(QUESTIONS)}")
    return found


def _key(sheet: str | Path) -> dict[str, tuple[str, str]]:
    path = key_path(sheet)
    check_readable(path)
    with open(path, encoding="utf-8", newline="") as stream:
        table = list(csv.DictReader(stream))
    try:
        return {row["code"]: (unescape(row["item"]), row["variant"]) for row in table}
    except KeyError as error:
        raise InputError(
            f"there is no column {error}", path=path, line=1, remedy="use the key as rating-sheet wrote it"
        ) from error


def _known(value: object, known: tuple[str, ...], what: str, place: Place) -> str:
    name = str(value).strip().lower()
    if name not in known:
        place.fail(f"unknown {what} {name!r}.{did_you_mean(name, known)}", f"write {', '.join(known)}")
    return name


def _in_scale(value: object, name: str, place: Place) -> float:
    found = number(value, name, place)
    low, high = SCALE
    if found is None or not low <= found <= high:
        place.fail(
            f"{name} must be from {low:g} to {high:g}, not {value!r}", "correct the rating, or leave it out"
        )
    return found


def _refuse_twice(ratings: list[Rating], path: str | Path) -> None:
    seen = set()
    for one in ratings:
        asked = one.item, one.variant, one.question, one.rater
        if asked in seen:
            raise InputError(
                f"rater {one.rater!r} rates the {one.question} of item {one.item!r}, {one.variant}, twice",
                path=path,
                remedy="keep one of the rows, or give raters names of their own",
            )
        seen.add(asked)
