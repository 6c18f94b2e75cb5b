"""The reference summaries of rated Newsroom articles, from the release: one JSON object an article and line.

An article is found by its title, since the release has no ids. Where several articles share a title, the one
whose text starts as the rated article does is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.files import jsonl
from mars_score.files.source import check_readable, open_input, shown
from mars_score.files.text_lines import pieces

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_START = 100
"""How many letters and digits of two texts are compared: edits further down do not matter."""


def find_references(path: str | Path, articles: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return the summary of each article; articles are given as id to (title, text)."""
    check_readable(path)
    released = _released(path, {_key(title) for title, _ in articles.values()})
    found = {}
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
        found[article] = summaries.pop()
    return found


def _released(path: str | Path, titles: set[str]) -> dict[str, list[tuple[str, str]]]:
    """Return the starts of texts and the summaries of the articles with these titles."""
    found: dict[str, list[tuple[str, str]]] = {}
    with open_input(path) as stream:
        for row in jsonl.rows(pieces(stream, shown(path)), shown(path)):
            title, text, summary = (row.values.get(name) for name in ("title", "text", "summary"))
            if (
                isinstance(title, str)
                and isinstance(summary, str)
                and summary.strip()
                and _key(title) in titles
            ):
                start = _key(text)[:_START] if isinstance(text, str) else ""
                found.setdefault(_key(title), []).append((start, summary))
    return found


def _key(text: str) -> str:
    """Return a text's letters and digits: quotation marks and spaces differ between releases."""
    return "".join(character for character in text.casefold() if character.isalnum())
