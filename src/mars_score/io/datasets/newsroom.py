"""Newsroom's human evaluation (Grusky et al., 2018): a csv file of ratings, and the references from the release."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mars_score.errors import InputError
from mars_score.io import json_rows
from mars_score.io.datasets.base import Rated, csv_rows, mean, number
from mars_score.io.fields import RawRow, RowLocation, field_names, to_example
from mars_score.io.source import check_readable, open_input, pieces, shown

TEXTS = ("ArticleID", "System", "ArticleText", "SystemSummary", "ArticleTitle")
ASPECTS = {
    "coherence": "CoherenceRating",
    "fluency": "FluencyRating",
    "informativeness": "InformativenessRating",
    "relevance": "RelevanceRating",
}
REFERENCE = "ReferenceSummary"

_PARAGRAPH = re.compile(r"\s*(?:</?p>|<br\s*/?>)+\s*", re.IGNORECASE)
_START = 100
"""How many letters and digits of two texts are compared: edits further down do not matter."""


@dataclass(frozen=True, slots=True)
class _Summary:
    """One system's summary of one article, and the ratings of it so far."""

    line: int
    texts: dict[str, str]
    by_aspect: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in ASPECTS})


def read(path: str, references: str | Path | None = None) -> list[Rated]:
    """Return one row for each article and system; its rating is the mean over raters and the four aspects."""
    columns = (*TEXTS, *ASPECTS.values())
    summaries: dict[tuple[str, str], _Summary] = {}
    for line, cells in csv_rows(path, columns, "Newsroom's human evaluation"):
        texts = {name: _plain(cells[name]) for name in TEXTS}
        texts[REFERENCE] = _plain(cells.get(REFERENCE, ""))
        key = texts["ArticleID"], texts["System"]
        summary = summaries.setdefault(key, _Summary(line, texts))
        _check_same(summary, texts, path, line)
        for aspect, column in ASPECTS.items():
            location = RowLocation(path, line, "/".join(key))
            rating = number(cells[column], column, location)
            if rating is None:
                location.fail(f"{column} is empty", "give all four ratings, or leave the line out")
            summary.by_aspect[aspect].append(rating)
    if not summaries:
        raise InputError("the file has no rows", path=path, remedy="give at least one rated summary")
    _fill_references(list(summaries.values()), path, references)
    return [_rated(summary, path) for summary in summaries.values()]


def _plain(cell: str) -> str:
    """Return the text of an HTML cell: a line for each paragraph, characters as they are."""
    return html.unescape(_PARAGRAPH.sub("\n", cell)).strip()


def _check_same(summary: _Summary, texts: dict[str, str], path: str, line: int) -> None:
    """Refuse raters of one summary who saw different texts: an id or a system name is wrong."""
    differs = next((name for name in texts if texts[name] != summary.texts[name]), None)
    if differs is not None:
        raise InputError(
            f"article {texts['ArticleID']!r} and system {texts['System']!r} have another {differs}"
            f" on line {summary.line}",
            path=path,
            line=line,
            remedy="correct ArticleID or System: the lines of one summary must have the same texts",
        )


def _fill_references(summaries: list[_Summary], path: str, references: str | Path | None) -> None:
    lacking = [summary for summary in summaries if not summary.texts[REFERENCE]]
    if not lacking:
        return
    if references is None:
        raise InputError(
            f"no reference summary: the column {REFERENCE!r} is missing or empty",
            path=path,
            line=lacking[0].line,
            remedy="the human evaluation was released without references. Give the file of the Newsroom release"
            f" that has them, references='test.jsonl' (unpacked), or add the column {REFERENCE}",
        )
    texts = [summary.texts for summary in lacking]
    released = find_references(
        references, {text["ArticleID"]: (text["ArticleTitle"], text["ArticleText"]) for text in texts}
    )
    for text in texts:
        text[REFERENCE] = released[text["ArticleID"]]


def _rated(summary: _Summary, path: str) -> Rated:
    texts, by_aspect = summary.texts, summary.by_aspect
    values: dict[str, object] = {
        "id": f"{texts['ArticleID']}/{texts['System']}",
        "candidate": texts["SystemSummary"],
        "references": [texts[REFERENCE]],
        "context": texts["ArticleText"],
    }
    example = to_example(RawRow(summary.line, values), 1, field_names(), path)
    ratings = tuple(mean(rater) for rater in zip(*by_aspect.values(), strict=True))
    aspects = {name: mean(given) for name, given in by_aspect.items()}
    return Rated(example, mean(ratings), texts["System"], ratings, aspects, "summarization", "newsroom")


# The reference summaries of rated articles, from the release: one JSON object an article and line.


def find_references(path: str | Path, articles: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return the summary of each article; articles are given as id to (title, text)."""
    check_readable(path)
    released = _released(path, {_key(title) for title, _ in articles.values()})
    references = {}
    for article, (title, text) in articles.items():
        same_title = released.get(_key(title), [])
        same_text = [summary for start, summary in same_title if start == _key(text)[:_START]]
        summaries = set(same_text or [summary for _, summary in same_title])
        if len(summaries) != 1:
            number = "no article" if not summaries else f"{len(summaries)} articles"
            raise InputError(
                f"{number} with a summary for article {article!r}, {title[:80]!r}",
                path=path,
                remedy="give the file of the release that the rated articles come from (the test set),"
                " or add the column ReferenceSummary to the ratings",
            )
        references[article] = summaries.pop()
    return references


def _released(path: str | Path, titles: set[str]) -> dict[str, list[tuple[str, str]]]:
    """Return the starts of texts and the summaries of the articles with these titles."""
    released: dict[str, list[tuple[str, str]]] = {}
    with open_input(path) as stream:
        for row in json_rows.jsonl_rows(pieces(stream, shown(path)), shown(path)):
            title, text, summary = (row.values.get(name) for name in ("title", "text", "summary"))
            if not isinstance(title, str) or not isinstance(summary, str) or not summary.strip():
                continue
            if _key(title) in titles:
                start = _key(text)[:_START] if isinstance(text, str) else ""
                released.setdefault(_key(title), []).append((start, summary))
    return released


def _key(text: str) -> str:
    """Return a text's letters and digits: quotation marks and spaces differ between releases."""
    return "".join(character for character in text.casefold() if character.isalnum())
