"""What a candidate's words did: match the reference, copy the context, stand out of place, or say what nobody said."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mars_score.io.html import isolated
from mars_score.masking.templates import fold
from mars_score.text.frequency import BackgroundIdf, rarity
from mars_score.text.languages import ENGLISH
from mars_score.text.words import is_function_word, is_punctuation, words
from mars_score.web.explain.data import Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from mars_score.encoders.base import Encoder
    from mars_score.encoders.token_level import PieceReading, TokenLevelEncoder
    from mars_score.text.words import Word
    from mars_score.types import Fact

MATCHED = 0.58
"""The cosine from which two words are called a match: "lend" and "lent" have .59, "noon" and "morning" .56."""
MATCHED_ELSEWHERE = 0.85
"""The same for other encoders than the default one. Of `embeddinggemma-300m` even unrelated words have .7, synonyms .8
to .9, equal words .9 or more."""
MISPLACED = 0.5
"""A word is called out of place where the reader finds that more probable than not."""
RUN = 3
"""Words in a row that make a copy."""
Span = tuple[int, int]


def close_reader(encoder: Encoder) -> TokenLevelEncoder | None:
    """The part of an encoder that reads word by word, if there is one."""
    from mars_score.encoders.token_level import TokenLevelEncoder

    reader = getattr(encoder, "reader", encoder)
    return reader if isinstance(reader, TokenLevelEncoder) else None


class ReadText(NamedTuple):
    """A text, its words of content, and what the close reader saw in it."""

    text: str
    content: tuple[Word, ...]
    reading: PieceReading | None
    language: str = ENGLISH
    matched: float = MATCHED
    """The cosine from which its words match others."""

    @classmethod
    def of(cls, text: str, reader: TokenLevelEncoder | None, language: str = ENGLISH) -> ReadText:
        """Read a text."""
        content = tuple(
            word
            for word in words(text, language)
            if not is_punctuation(word.text) and not is_function_word(word.text, language)
        )
        if reader is None:
            return cls(text, content, None, language)
        matched = MATCHED if reader.head is not None else MATCHED_ELSEWHERE
        return cls(text, content, reader.read_pieces(text), language, matched)


def find_marks(
    candidate: ReadText, references: Iterable[tuple[int, ReadText]], context: str, facts: Sequence[Fact]
) -> tuple[Mark, ...]:
    """Mark a candidate's words; `references` are those that it was held against, by number."""
    found = [
        Mark("unsupported", fact.start, fact.end, fact.text, f"{fact.reason.rstrip('.')}.") for fact in facts
    ]
    found += _misplaced(candidate)
    found += [
        Mark("copied", start, end, candidate.text[start:end], "Copied from the context.")
        for start, end in copied_runs(candidate.text, context, candidate.language)
    ]
    matches: dict[int, Mark] = {}
    for number, reference in references:
        for match in _matches(candidate, reference, number):
            matches.setdefault(match.start, match)
    return tuple(sorted([*found, *matches.values()], key=lambda mark: (mark.start, mark.end)))


def copied_runs(text: str, context: str, language: str = ENGLISH) -> list[Span]:
    """Where a text has three or more words in a row that stand so in its context."""
    own, there = (
        [word for word in words(one, language) if not is_punctuation(word.text)] for one in (text, context)
    )
    source = [fold(word.text) for word in there]
    in_context = set(zip(*(source[start:] for start in range(RUN)), strict=False))
    folded = [fold(word.text) for word in own]
    runs: list[list[int]] = []  # first and last word of each
    for place in range(len(own) - RUN + 1):
        if tuple(folded[place : place + RUN]) in in_context:
            if runs and place <= runs[-1][1] + 1:
                runs[-1][1] = place + RUN - 1
            else:
                runs.append([place, place + RUN - 1])
    return [(own[first].start, own[last].end) for first, last in runs]


def _misplaced(candidate: ReadText) -> list[Mark]:
    if candidate.reading is None:
        return []
    found = []
    for word in words(candidate.text, candidate.language):
        pieces = _pieces(candidate.reading.spans, word)
        probability = exp(min((float(candidate.reading.in_place[piece]) for piece in pieces), default=0.0))
        if probability < MISPLACED and not is_punctuation(word.text):
            note = f"Out of place: with a probability of {1 - probability:.0%}."
            found.append(Mark("misplaced", word.start, word.end, word.text, note))
    return found


def _matches(candidate: ReadText, reference: ReadText, number: int) -> list[Mark]:
    if not candidate.content or not reference.content:
        return []
    alike, found = _alike(candidate, reference), []
    for place, word in enumerate(candidate.content):
        best = int(alike[place].argmax())
        partner, cosine = reference.content[best], float(alike[place][best])
        if cosine < candidate.matched:
            continue
        same = fold(word.text) == fold(partner.text)
        likeness = (
            ""
            if same
            else f", for “{isolated(partner.text)}”" + (f" (cosine {cosine:.2f})" if cosine < 1 else "")
        )
        note = f"In the reference too{likeness}."
        counts = _rarity(word.text, candidate.language) * cosine
        found.append(
            Mark(
                "matched", word.start, word.end, word.text, note, counts, number, partner.text, partner.start
            )
        )
    return found


def _rarity(word: str, language: str) -> float:
    return rarity(word.lower()) if language == ENGLISH else BackgroundIdf(language)(word)


def _alike(candidate: ReadText, reference: ReadText) -> NDArray[np.float64]:
    """(words, words): how alike they are; without a close reader, whether they are equal."""
    if candidate.reading is None or reference.reading is None:
        folded = [fold(word.text) for word in reference.content]
        return np.array([[float(fold(word.text) == other) for other in folded] for word in candidate.content])
    alike = candidate.reading.vectors @ reference.reading.vectors.T  # (n, m)
    columns = [_pieces(reference.reading.spans, word) for word in reference.content]
    rows = [_pieces(candidate.reading.spans, word) for word in candidate.content]
    found = np.zeros((len(rows), len(columns)))
    for row, own in enumerate(rows):
        weights = candidate.reading.weights[own]
        for column, theirs in enumerate(columns):
            if own and theirs:  # else the text was cut before this word
                found[row, column] = alike[np.ix_(own, theirs)].max(1) @ weights / weights.sum()
    return found


def _pieces(spans: Sequence[Span], word: Word) -> list[int]:
    """The places of the pieces that make up a word."""
    return [place for place, (start, end) in enumerate(spans) if start < word.end and end > word.start]


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A run of a candidate's text with the marks that lie on all of it."""

    text: str
    marks: tuple[Mark, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it did, each once."""
        return tuple(dict.fromkeys(mark.kind for mark in self.marks))

    @property
    def note(self) -> str:
        """What its marks say."""
        return " ".join(dict.fromkeys(mark.note for mark in self.marks))

    @property
    def target(self) -> str:
        """Names the reference's word that it matches; empty if there is none."""
        places = (f"{one.reference}-{one.partner_start}" for one in self.marks if one.kind == "matched")
        return next(places, "")


def marked_pieces(text: str, marks: Sequence[Mark]) -> list[MarkedPiece]:
    """Cut a text wherever a mark begins or ends; the pieces join to the whole of it."""
    cuts = sorted({0, len(text), *(mark.start for mark in marks), *(mark.end for mark in marks)})
    return [
        MarkedPiece(text[start:end], tuple(mark for mark in marks if mark.start <= start and end <= mark.end))
        for start, end in pairwise(cuts)
    ]
