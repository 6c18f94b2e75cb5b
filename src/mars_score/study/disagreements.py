"""The paper's Table 6: the rows on which a metric and people differ most, and the kind of error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from mars_score.stats.data import numbers
from mars_score.study.attacks.base import passage
from mars_score.study.results import Disagreement, ResultTerm
from mars_score.study.results_file import from_json, to_json
from mars_score.study.store import row_key
from mars_score.study.worker import LazyMetric
from mars_score.text.stop_words import is_function_word, is_punctuation
from mars_score.text.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from mars_score.stats.data import Floats
    from mars_score.study.scoring import DatasetScores
    from mars_score.study.store import ScoreStore
    from mars_score.types import Example


# The paper's three kinds of error (section 4.4), told from the texts by rules that anyone can check.

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
    from wordfreq import word_frequency

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


MARS = "mars"
"""The metric that can explain its scores."""


@dataclass(frozen=True, slots=True)
class _Apart:
    """A row and where metric and people see it."""

    row: int
    score_rank: float
    human_rank: float


@dataclass(frozen=True, slots=True)
class _Terms:
    """For the store: the terms of one row."""

    terms: tuple[ResultTerm, ...]


def disagreements(found: DatasetScores, name: str, count: int, store: ScoreStore) -> list[Disagreement]:
    """Return the rows whose ranks differ most, most first; rows without a score are passed over."""
    metric = next(one for one in found.metrics if one.name == name)
    apart = _most_apart(found, found.oriented(metric), count)
    terms = _terms(found, [one.row for one in apart], store) if name == MARS else [()] * len(apart)
    made = []
    for one, explained in zip(apart, terms, strict=True):
        row, score = found.dataset.rows[one.row], found.rows[name][one.row].score
        assert score is not None  # ranks are of rows with a score
        made.append(
            Disagreement(
                metric=name,
                id=row.id,
                system=row.system,
                kinds=error_kinds(row.example, one.score_rank, one.human_rank),
                score=score,
                human=row.human,
                score_rank=one.score_rank,
                human_rank=one.human_rank,
                context=row.example.context,
                references=row.example.references,
                candidate=row.example.candidate,
                terms=explained,
            )
        )
    return made


def _most_apart(found: DatasetScores, scores: Sequence[float | None], count: int) -> list[_Apart]:
    metric = numbers(scores)
    usable = np.flatnonzero(np.isfinite(metric))
    if len(usable) < 2:
        return []
    human = np.array(found.dataset.human)[usable]
    ranked = [
        _Apart(int(row), float(score), float(rating))
        for row, score, rating in zip(usable, _ranks(metric[usable]), _ranks(human), strict=True)
    ]
    ids = [row.id for row in found.dataset]
    ranked.sort(key=lambda one: (-abs(one.score_rank - one.human_rank), ids[one.row]))
    return ranked[:count]


def _ranks(values: Floats) -> Floats:
    """The share of the other rows that are below; a tie counts half."""
    return np.asarray((stats.rankdata(values) - 1) / (len(values) - 1), dtype=np.float64)


def _terms(found: DatasetScores, rows: Sequence[int], store: ScoreStore) -> list[tuple[ResultTerm, ...]]:
    """What the score of MARS is made of, from the store or from the scorer."""
    signature = f"terms|{LazyMetric(MARS, found.scorer).signature(store)}"
    keys = {row: row_key(signature, found.digests[row]) for row in rows}
    known = {row: store.get(key) for row, key in keys.items()}
    new = [row for row, value in known.items() if value is None]
    if new:
        items = found.scorer.score_examples([found.dataset.examples[row] for row in new])
        for row, item in zip(new, items, strict=True):
            known[row] = to_json(
                _Terms(
                    tuple(
                        ResultTerm(
                            term.ratio,
                            term.cosine,
                            term.weight,
                            tuple((block.text, block.blank) for block in term.augmented.segments),
                        )
                        for term in item.augmented
                    )
                )
            )
        store.keep({keys[row]: known[row] for row in new})
    return [from_json(_Terms, known[row]).terms for row in rows]
