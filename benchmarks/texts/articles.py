"""News articles of any length up to some 2,000 words, and their summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.types import Pair

from .filling import chosen, people
from .reports_country import REPORTS_COUNTRY
from .reports_town import REPORTS_TOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .report import Report

# Town and country take turns, so that a long article does not stay with one subject.
REPORTS = tuple(report for both in zip(REPORTS_TOWN, REPORTS_COUNTRY, strict=True) for report in both)
MOST_SUMMARIES = 256


def article(words: int, seed: int = 0) -> str:
    """Running text of about so many words, in which no sentence comes twice.

    It ends with the sentence that brings it closest to ``words``. One report has about 300 words; a longer
    article goes on with the next reports. Seeds that are near each other begin with different reports.
    """
    if words < 1 or seed < 0:
        raise ValueError(
            f"an article needs at least one word and a seed of 0 or more, not {words} and {seed}"
        )
    taken: list[str] = []
    length = 0
    for step in range(len(REPORTS)):
        report, held = _told(seed, step)
        for sentence in report.sentences:
            text = sentence.format_map(held)
            more = len(text.split())
            # The sentence is left out if the article is closer to its length without it.
            if taken and length + more - words > words - length:
                return " ".join(taken)
            taken.append(text)
            length += more
    if length < words:
        raise ValueError(f"there are {length} words for an article, not {words}")
    return " ".join(taken)


def summaries(count: int, words: int) -> list[Pair]:
    """The first so many (article, summary) pairs, all different; articles have about ``words`` words.

    A summary has one or two sentences and 12 to 30 words. It is about the article's first report.
    """
    if not 0 <= count <= MOST_SUMMARIES:
        raise ValueError(f"there are 0 to {MOST_SUMMARIES} summaries, not {count}")
    return [Pair(article(words, seed), _summary(seed)) for seed in range(count)]


def _told(seed: int, step: int) -> tuple[Report, Mapping[str, str]]:
    """The report that comes after so many others in an article, and what its slots hold."""
    variation, lead = divmod(seed, len(REPORTS))
    report = REPORTS[(lead + step) % len(REPORTS)]
    # The reports share their towns, days and people: they are set apart within and between articles.
    persons = people(seed + 17 * step, woman=(lead + step + variation) % 2 == 0)
    return report, chosen(report.slots, variation + 2 * lead + 3 * step, persons)


def _summary(seed: int) -> str:
    report, held = _told(seed, 0)
    return report.summaries[seed // len(REPORTS) % len(report.summaries)].format_map(held)
