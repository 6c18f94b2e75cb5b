"""The paper's Table 7: people rate augmented references; the blinded sheet, the file of ratings, the result."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import InputError, did_you_mean
from mars_score.fingerprint import digest
from mars_score.io import delimited, json_rows
from mars_score.io.datasets.base import Dataset, number
from mars_score.io.examples import clean_examples
from mars_score.io.fields import RowLocation
from mars_score.io.output import INPUTS, format_of
from mars_score.io.source import DELIMITERS, check_readable, open_input, pieces
from mars_score.io.writers import escape, unescape
from mars_score.progress import StageProgress, silent_stages
from mars_score.stats.ratings import krippendorff_alpha
from mars_score.stats.significance import paired_t_test
from mars_score.study.results import AugmentationRating, AugmentationStudy, AugmentationTest
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer


# Reading what raters thought of augmented references: one rating a row, or the filled rating sheet itself.

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
            yield from ((row.line, dict(row.values)) for row in json_rows.jsonl_rows(parts, path))
            return
        table = delimited.records(parts, path, DELIMITERS[kind])
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
    location = RowLocation(path, line, item)
    return Rating(
        item,
        _one_of(values["variant"], VARIANTS, "variant", location),
        _one_of(values["question"], QUESTIONS, "question", location),
        rater,
        _in_scale(values["rating"], "rating", location),
    )


def _from_sheet(rows: list[tuple[int, dict[str, object]]], path: str | Path) -> list[Rating]:
    """One row a text and rater, a column a question; an empty cell is no rating."""
    key = _key(path)
    ratings: list[Rating] = []
    for line, values in rows:
        code = str(values["code"]).strip()
        location = RowLocation(str(path), line, code)
        if code not in key:
            location.fail(
                "the key has no such code", f"use the sheet that {key_path(path).name} was written with"
            )
        rater = str(values.get("rater") or "").strip()
        for question in QUESTIONS:
            cell = values.get(question)
            if cell is None or not str(cell).strip():
                continue
            if not rater:
                location.fail(
                    "no rater is named", "write a name or a number of the rater into each rated row"
                )
            item, variant = key[code]
            ratings.append(Rating(item, variant, question, rater, _in_scale(cell, question, location)))
    if not ratings:
        raise InputError("no row of the sheet is rated", path=path, remedy=f"fill in {', '.join(QUESTIONS)}")
    return ratings


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


def _one_of(value: object, choices: tuple[str, ...], what: str, location: RowLocation) -> str:
    name = str(value).strip().lower()
    if name not in choices:
        location.fail(f"unknown {what} {name!r}.{did_you_mean(name, choices)}", f"write {', '.join(choices)}")
    return name


def _in_scale(value: object, name: str, location: RowLocation) -> float:
    rating = number(value, name, location)
    low, high = SCALE
    if rating is None or not low <= rating <= high:
        location.fail(
            f"{name} must be from {low:g} to {high:g}, not {value!r}", "correct the rating, or leave it out"
        )
    return rating


def _refuse_twice(ratings: list[Rating], path: str | Path) -> None:
    seen = set()
    for rating in ratings:
        asked = rating.item, rating.variant, rating.question, rating.rater
        if asked in seen:
            raise InputError(
                f"rater {rating.rater!r} rates the {rating.question} of item {rating.item!r}, {rating.variant}, twice",
                path=path,
                remedy="keep one of the rows, or give raters names of their own",
            )
        seen.add(asked)


# The blinded sheet on which people rate references: as written, refilled by the baseline, refilled by MARS.

SHEET = ("code", "context", "text", "rater", *QUESTIONS)
KEY = ("code", "item", "variant", "text")
_CODE = 8
"""Digits of a code: with a hundred texts, two alike are a case of one in a million."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A text to rate."""

    code: str
    """All that raters see of where the text comes from."""
    item: str
    variant: str
    context: str
    text: str


def choose_items(dataset: Dataset, count: int, seed: int) -> list[Example]:
    """Draw items: a context with its reference, of several the first by alphabet. The order of rows does not matter."""
    items: dict[str, Example] = {}
    for row in dataset:
        example = row.example
        items.setdefault(
            row.item, Example(row.item, "", (min(example.references),), example.context, example.question)
        )
    drawn = sorted(items, key=lambda item: digest("rating sheet", seed, item))[:count]
    return [items[item] for item in drawn]


def sheet_rows(
    examples: Sequence[Example], scorer: MarsScorer, seed: int, progress: StageProgress = silent_stages
) -> list[SheetRow]:
    """Augment the references by MARS and by the baseline, and shuffle; the highest masking ratio's texts are shown."""
    cleaned = clean_examples(examples)
    scorers = {"naive": scorer.with_options(infiller="naive"), "mars": scorer.with_options(infiller="guided")}
    texts = {"original": {example.id: example.references[0] for example in cleaned}}
    for variant, variant_scorer in scorers.items():
        augmented = variant_scorer.augment_examples(examples, progress=progress)
        texts[variant] = {
            example.id: max(augmented[example.pairs[0]].augmented, key=lambda term: term.ratio).text
            for example in cleaned
        }
    rows = [
        SheetRow(
            digest("code", seed, example.id, variant).hex()[:_CODE],
            example.id,
            variant,
            example.context,
            texts[variant][example.id],
        )
        for example in cleaned
        for variant in VARIANTS
    ]
    # Codes are hashes: their order is random, and says nothing of items or variants.
    return sorted(rows, key=lambda row: row.code)


def sheet_text(rows: Iterable[SheetRow]) -> str:
    """Return the sheet as csv, safe to open in a spreadsheet, with empty columns for the rater and the ratings."""
    return _csv(SHEET, ([row.code, row.context, row.text, "", *[""] * len(QUESTIONS)] for row in rows))


def key_text(rows: Iterable[SheetRow]) -> str:
    """Return what the codes stand for, as csv."""
    return _csv(KEY, ([row.code, row.item, row.variant, row.text] for row in rows))


def _csv(header: Iterable[str], rows: Iterable[list[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(escape, row) for row in rows)
    return text.getvalue()


def augmentation_study(ratings: Sequence[Rating]) -> AugmentationStudy:
    """Compare the variants, question by question.

    Means and deviations (n - 1) are of single ratings. Tests are paired by item, on the mean of an item's
    ratings: raters of one item are no independent evidence. Alpha is over rated texts.
    """
    given: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for rating in sorted(ratings, key=lambda rating: (rating.item, rating.rater)):
        given[rating.question][rating.variant].setdefault(rating.item, []).append(rating.rating)
    asked = [question for question in QUESTIONS if question in given]
    rated, tests = [], []
    for question in asked:
        variants = [variant for variant in VARIANTS if variant in given[question]]
        rated += [_mean_rating(question, variant, given[question][variant]) for variant in variants]
        tests += [
            _test(question, first, second, given[question][first], given[question][second])
            for first, second in combinations(variants, 2)
        ]
    alphas = {
        question: krippendorff_alpha(
            [texts for items in given[question].values() for texts in items.values()]
        ).value
        for question in asked
    }
    return AugmentationStudy(tuple(rated), tuple(tests), alphas)


def _mean_rating(question: str, variant: str, items: dict[str, list[float]]) -> AugmentationRating:
    values = [value for ratings in items.values() for value in ratings]
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else 0.0
    return AugmentationRating(question, variant, mean, deviation, len(values))


def _test(
    question: str,
    first: str,
    second: str,
    first_ratings: dict[str, list[float]],
    second_ratings: dict[str, list[float]],
) -> AugmentationTest:
    """Compare two variants on the items that have both; the difference is the first less the second."""
    shared = [item for item in first_ratings if item in second_ratings]
    a, b = (
        [math.fsum(of[item]) / len(of[item]) for item in shared] for of in (first_ratings, second_ratings)
    )
    test = paired_t_test(a, b)
    apart = [x - y for x, y in zip(a, b, strict=True)]
    return AugmentationTest(
        question=question,
        first=first,
        second=second,
        difference=math.fsum(apart) / len(apart) if apart else 0.0,
        t=test.t if test else None,
        p=test.p if test else None,
        n=len(shared),
    )
