"""The flags that a row may carry. A flag never changes silently what is scored: it says what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mars_score.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CONTEXT_TRUNCATED = "context_truncated"
CANDIDATE_TRUNCATED = "candidate_truncated"
REFERENCE_TRUNCATED = "reference_truncated"
EMPTY_CANDIDATE = "empty_candidate"
NO_CONTEXT = "no_context"
NOTHING_MASKABLE = "nothing_maskable"
CLEANED = "cleaned"
COPIED = "copied_from_context"
OUT_OF_VOCABULARY = "out_of_vocabulary"
NOTHING_COMPARABLE = "nothing_comparable"
REFERENCE_OUT_OF_VOCABULARY = "reference_out_of_vocabulary"
LANGUAGE_MISMATCH = "language_mismatch"
NO_TAGGER = "no_tagger"

MEANING = {
    CONTEXT_TRUNCATED: "the tail of the context did not fit the language model or the encoder and was cut",
    CANDIDATE_TRUNCATED: "the tail of the candidate did not fit the encoder and was cut",
    REFERENCE_TRUNCATED: "the tail of a reference did not fit the encoder or the language model and was cut",
    EMPTY_CANDIDATE: "the candidate is empty or blank; its score is what docs/metrics.md says of the metric: 0 for "
    "most, or undefined",
    NO_CONTEXT: "there is no context; MARS augments references from their own words alone, and what compares "
    "with the context is undefined",
    NOTHING_MASKABLE: "no word of a reference may be masked at any ratio; only the reference itself is used",
    COPIED: "nearly all of the candidate's words are copied from the context in runs; this is said, not fined",
    CLEANED: "hashtags, links or control characters were removed before scoring",
    OUT_OF_VOCABULARY: "no word of the candidate has a vector and a weight; its score is that of an empty one",
    NOTHING_COMPARABLE: "candidate or references have none of the units that the metric compares; the score is 0",
    LANGUAGE_MISMATCH: "context or references are not in the language of the settings, or in two languages; set "
    "language=, or use preset multilingual (docs/languages.md)",
    NO_TAGGER: "the tagger does not know the language of a reference; its words were masked whatever their part of "
    "speech",
    REFERENCE_OUT_OF_VOCABULARY: "no word of a reference has a vector and a weight; it is passed over, and the "
    "score is undefined where there is no other",
}
"""One line for each flag, shown by the command line and the documentation."""


def raised(conditions: Mapping[str, bool]) -> tuple[str, ...]:
    """Return the flags whose condition holds."""
    return tuple(flag for flag, holds in conditions.items() if holds)


class Flagged(Protocol):
    """A row of results."""

    @property
    def id(self) -> str:
        """Of the example."""

    @property
    def flags(self) -> tuple[str, ...]:
        """Of the row."""


def refuse(rows: Iterable[Flagged]) -> None:
    """Turn the first flagged row into an error."""
    for row in rows:
        if row.flags:
            meanings = "; ".join(f"{flag}: {MEANING[flag]}" for flag in row.flags)
            raise InputError(
                f"item {row.id!r} is flagged ({meanings})",
                remedy="change the item, or run without --strict (strict=True) to score it all the same",
            )
