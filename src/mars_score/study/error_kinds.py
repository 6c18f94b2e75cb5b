"""The paper's three kinds of error (section 4.4), told from the texts by rules that anyone can check.

- ``out_of_vocabulary``: the candidate has a placeholder such as UNK, or a word that neither its context nor a
  reference has, nor the table of English words that IDF is from (``wordfreq``).
- ``copied_from_context``: at least half of the candidate's runs of three words stand in the context, and a
  larger share than of any reference's.
- ``further_inference``: people rate the candidate in the upper half and higher than the metric does, but few of
  its content words are in a reference (at most a quarter) or in the context (at most a half).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.attacks.layout import passage
from mars_score.masking.words import words
from mars_score.similarity.content import is_function_word, is_punctuation

if TYPE_CHECKING:
    from collections.abc import Set

    from mars_score.types import Example

OUT_OF_VOCABULARY = "out_of_vocabulary"
COPIED = "copied_from_context"
INFERENCE = "further_inference"
PLACEHOLDERS = frozenset(["unk", "oov"])
COPIED_SHARE = 0.5
IN_REFERENCES, IN_CONTEXT = 0.25, 0.5
_RUN = 3


def error_kinds(example: Example, score_rank: float, human_rank: float) -> tuple[str, ...]:
    """Return the kinds that apply to a row; none may, or several."""
    holds = {
        OUT_OF_VOCABULARY: bool(unknown_words(example)),
        COPIED: is_copied(example),
        INFERENCE: human_rank >= 0.5 and human_rank > score_rank and is_new(example),
    }
    return tuple(kind for kind, applies in holds.items() if applies)


def unknown_words(example: Example) -> list[str]:
    """Return the candidate's words that nobody knows."""
    from wordfreq import word_frequency  # noqa: PLC0415  # it reads its table when imported

    known = set(_words(" \n".join([example.context, *example.references]))) - PLACEHOLDERS
    return [
        word
        for word in dict.fromkeys(_words(example.candidate))
        if word in PLACEHOLDERS or (word not in known and not word_frequency(word, "en", wordlist="best"))
    ]


def is_copied(example: Example) -> bool:
    """Tell whether the candidate is made of the context, more than people's own texts are."""
    source = _runs(passage(example))
    own = _share(_runs(example.candidate), source)
    others = [_share(_runs(reference), source) for reference in example.references]
    return own >= COPIED_SHARE and own > max(others)


def is_new(example: Example) -> bool:
    """Tell whether the candidate's content is neither that of the references nor that of the context."""
    content = _content(example.candidate)
    references = set().union(*(_content(reference) for reference in example.references))
    return (
        bool(content)
        and _share(content, references) <= IN_REFERENCES
        and _share(content, _content(example.context)) <= IN_CONTEXT
    )


def _words(text: str) -> list[str]:
    return [word.text.casefold() for word in words(text) if not is_punctuation(word.text)]


def _content(text: str) -> set[str]:
    return {word for word in _words(text) if not is_function_word(word)}


def _runs(text: str) -> set[tuple[str, ...]]:
    found = _words(text)
    return {tuple(found[i : i + _RUN]) for i in range(len(found) - _RUN + 1)}


def _share(some: Set[object], of: Set[object]) -> float:
    return len(some & of) / len(some) if some else 0.0
